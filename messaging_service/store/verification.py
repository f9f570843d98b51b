"""Queries about verification sessions."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, select, update

from interface.results import Result
from messaging_service.clock import Milliseconds
from messaging_service.store.prepared import Prepared
from messaging_service.store.tables import messages
from messaging_service.store.tables import verifications as table
from messaging_service.verification.session import Session

_SESSION = tuple(table.c[name] for name in Session._fields)
_ADD = Prepared(table.insert())
# Built once: building them anew would cost a check more than running them.
_COUNT = (
    update(table)
    .where(
        table.c.token == bindparam("of_token"),
        table.c.account_id == bindparam("of_account"),
        table.c.verified_at.is_(None),
        table.c.expires_at > bindparam("now"),
        table.c.attempts < table.c.attempts_allowed,
    )
    .values(attempts=table.c.attempts + 1)
    .returning(*_SESSION)
)
_CONSUME = (
    update(table)
    .where(table.c.token == bindparam("of_token"), table.c.verified_at.is_(None))
    .values(verified_at=bindparam("now"), proof_digest=bindparam("proof"), sealed_code="")
)
_EXPIRE_OLDER = (
    update(table)
    .where(
        table.c.account_id == bindparam("of_account"),
        table.c.phone_number == bindparam("of_number"),
        table.c.created_at < bindparam("started"),
        table.c.verified_at.is_(None),
        table.c.expires_at > bindparam("now"),
    )
    .values(expires_at=bindparam("now"))
)

_SEALED = select(table.c.message_id, table.c.sealed_code).where(
    table.c.message_id.in_(bindparam("message_ids", expanding=True))
)


def add(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write new sessions."""
    _ADD.run(connection, [{"attempts": 0, "verified_at": None, "proof_digest": None, **row} for row in rows])


def count_attempt(connection: Connection, account_id: int, token: str, now: Milliseconds) -> Session | None:
    """Count a guess at a session that still takes one, and return it so. None: no guess is to be judged."""
    row = connection.execute(_COUNT, {"of_token": token, "of_account": account_id, "now": now}).one_or_none()
    return None if row is None else Session(*row)


def consume(connection: Connection, token: str, now: Milliseconds, proof_digest: str | None) -> bool:
    """Use a session's code up. Returns whether this call did: a code is used once."""
    given = {"of_token": token, "now": now, "proof": proof_digest}
    return connection.execute(_CONSUME, given).rowcount == 1


def expire_older(connection: Connection, used: Session, now: Milliseconds) -> None:
    """End the account's sessions for the same number that are older than one whose code was used."""
    given = {"of_account": used.account_id, "of_number": used.phone_number, "started": used.created_at, "now": now}
    connection.execute(_EXPIRE_OLDER, given)


def find(connection: Connection, token: str, account_id: int | None = None) -> Session | None:
    """Return the session with a token, of one account where that is named."""
    question = select(*_SESSION).where(table.c.token == token)
    if account_id is not None:
        question = question.where(table.c.account_id == account_id)
    row = connection.execute(question).one_or_none()
    return None if row is None else Session(*row)


def message_result(connection: Connection, token: str) -> Result:
    """Return how far the message with a session's code has come."""
    question = select(messages.c.state).join(table, table.c.message_id == messages.c.message_id)
    return Result(connection.execute(question.where(table.c.token == token)).scalar_one())


def sealed_codes(connection: Connection, message_ids: Iterable[str]) -> dict[str, str]:
    """Return the sealed codes that messages are to carry, by message id; used ones are gone."""
    rows = connection.execute(_SEALED, {"message_ids": list(message_ids)})
    return {message_id: sealed for message_id, sealed in rows if sealed}


def count_verified(connection: Connection, prefix: str, since: Milliseconds) -> int:
    """Return how many sessions of a prefix that were started after a moment are verified."""
    question = select(func.count()).where(
        table.c.prefix == prefix,
        table.c.created_at > since,
        table.c.verified_at.is_not(None),
    )
    return int(connection.execute(question).scalar_one())


def forget(connection: Connection, before: Milliseconds) -> int:
    """Delete sessions started before a moment. Returns how many."""
    return connection.execute(delete(table).where(table.c.created_at < before)).rowcount
