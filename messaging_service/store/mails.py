"""Queries about e-mails that wait: write them, claim what is due, record what became of it."""

from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from messaging_service.clock import Milliseconds
from messaging_service.identifiers import new_id
from messaging_service.store.tables import mails as table


class Mail(NamedTuple):
    """An e-mail to write; plain text."""

    recipient: str
    subject: str
    body: str


class DueMail(NamedTuple):
    """An e-mail whose turn it is; ``mail_id`` is the same on every attempt, ``attempt`` counts from 1."""

    id: int
    mail_id: str
    recipient: str
    subject: str
    body: str
    attempt: int


class Failed(NamedTuple):
    """An e-mail that no server took: when it is due again, None when it is given up."""

    id: int
    error: str
    due_at: Milliseconds | None


_POSTPONE = (
    update(table).where(table.c.id == bindparam("row")).values(due_at=bindparam("due"), last_error=bindparam("error"))
)


def add(connection: Connection, mails: Sequence[Mail], now: Milliseconds) -> None:
    """Write e-mails, due at once."""
    rows = [{"mail_id": new_id(), "due_at": now, "created_at": now, **mail._asdict()} for mail in mails]
    if rows:
        connection.execute(insert(table), rows)


def any_due(connection: Connection, now: Milliseconds) -> bool:
    """Whether an e-mail is due."""
    return connection.execute(select(table.c.id).where(table.c.due_at <= now).limit(1)).first() is not None


def claim(connection: Connection, now: Milliseconds, leased_until: Milliseconds, limit: int) -> list[DueMail]:
    """Take e-mails that are due; they come due again when the lease ends."""
    question = (
        select(table.c.id, table.c.mail_id, table.c.recipient, table.c.subject, table.c.body, table.c.attempts + 1)
        .where(table.c.due_at <= now)
        .order_by(table.c.due_at)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    claimed = [DueMail(*row) for row in connection.execute(question)]
    if claimed:
        lease = update(table).where(table.c.id.in_([mail.id for mail in claimed]))
        connection.execute(lease.values(due_at=leased_until, attempts=table.c.attempts + 1))
    return claimed


def remove(connection: Connection, ids: Sequence[int]) -> None:
    """Forget e-mails that a server took."""
    if ids:
        connection.execute(delete(table).where(table.c.id.in_(list(ids))))


def forget(connection: Connection, before: Milliseconds) -> None:
    """Delete e-mails that were given up, if they were written before a moment."""
    connection.execute(delete(table).where(table.c.due_at.is_(None), table.c.created_at < before))


def postpone(connection: Connection, failed: Sequence[Failed]) -> None:
    """Write when failed e-mails are due again."""
    if failed:
        connection.execute(_POSTPONE, [{"row": each.id, "due": each.due_at, "error": each.error} for each in failed])
