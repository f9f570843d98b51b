"""Settle a batch in doubt by what a look-up found at the provider."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from flows.ledger.batches import record_accepted, record_refused
from flows.ledger.database import Ledger
from flows.ledger.plans import batch_row, campaign_of
from flows.ledger.records import Batch, BatchState, Way
from flows.ledger.tables import batches, campaigns, messages, recipients

PARTIAL_ATTEMPTS = 3
"""After so many calls that left out the same message object while taking others, it counts as refused."""


@dataclass(frozen=True)
class Settled:
    """What became of a batch in doubt: the batch that is now to be sent, ``None`` when there is none."""

    to_send: str | None


def settle(ledger: Ledger, batch: Batch, found: Mapping[str, str]) -> Settled:
    """Record what was found (phone number to message id) and plan what is certainly missing anew.

    A message object is accepted or refused as a whole (section 4.1): one recipient found means all of its are accepted.
    Nothing found: the same batch is planned again. Something found: the rest moves to a batch with a tag of its own, so
    that a later look-up can't take the one for the other. A file was taken whole, whatever of it is listed yet.
    """
    with ledger.write() as connection:
        if not _is_as_it_was(connection, batch):
            return Settled(None)
        record_accepted(connection, batch.id, _found_objects(connection, batch.id, found))
        if found and batch.way is Way.BULK:
            _accept_the_rest(connection, batch.id)
        missing = _objects_without_outcome(connection, batch.id)
        nothing_found = len(missing) == len(batch.messages)
        left_out = not nothing_found or batch.request_id is not None
        if nothing_found and not (left_out and batch.attempts >= PARTIAL_ATTEMPTS):
            _set_state(connection, batch.id, BatchState.PLANNED)
            return Settled(batch.id)
        rest = None
        if missing and batch.attempts >= PARTIAL_ATTEMPTS:
            record_refused(
                connection, batch.id, dict.fromkeys(missing, "neither accepted nor rejected by the provider")
            )
        elif missing:
            rest = _move_to_new_batch(connection, batch, missing)
        _set_state(connection, batch.id, BatchState.ANSWERED, answered_at=ledger.now())
    return Settled(rest)


def _is_as_it_was(connection: Connection, batch: Batch) -> bool:
    # Another process may have taken over during the look-up: what it knows is newer. Locking the campaign also keeps
    # two settlements from choosing the same position for what they move.
    connection.execute(select(campaigns.c.id).where(campaigns.c.id == batch.campaign_id).with_for_update())
    now = connection.execute(select(batches.c.state, batches.c.attempts).where(batches.c.id == batch.id)).one()
    return (now.state, now.attempts) == (batch.state, batch.attempts)


def _found_objects(connection: Connection, batch_id: str, found: Mapping[str, str]) -> dict[int, str]:
    rows = _open_recipients(connection, batch_id)
    return {
        row.object_index: found[row.phone_number].removesuffix(f"-{row.recipient_index}")
        for row in rows
        if row.phone_number in found
    }


def _objects_without_outcome(connection: Connection, batch_id: str) -> list[int]:
    return sorted({row.object_index for row in _open_recipients(connection, batch_id)})


def _accept_the_rest(connection: Connection, batch_id: str) -> None:
    planned = (recipients.c.batch_id == batch_id) & (recipients.c.result == "planned")
    connection.execute(update(recipients).where(planned).values(result="accepted"))


def _open_recipients(connection: Connection, batch_id: str) -> Sequence[Any]:
    """Return rows of ``object_index``, ``recipient_index`` and ``phone_number``."""
    return connection.execute(
        select(recipients.c.object_index, recipients.c.recipient_index, recipients.c.phone_number)
        .where(recipients.c.batch_id == batch_id, recipients.c.result == "planned")
        .order_by(recipients.c.object_index, recipients.c.recipient_index)
    ).all()


def _move_to_new_batch(connection: Connection, batch: Batch, missing: Sequence[int]) -> str:
    campaign = campaign_of(connection, batch.campaign_id)
    last = (
        connection.scalar(select(func.max(batches.c.position)).where(batches.c.campaign_id == batch.campaign_id)) or 0
    )
    row = {**batch_row(campaign, last + 1, batch.wave, Way.CALLS), "attempts": batch.attempts}
    moves = [{"old": old, "new": new} for new, old in enumerate(missing)]
    moved = [
        {"batch_id": row["id"], "object_index": new, "body": one.body, "delivery_time": one.delivery_time}
        for new, one in enumerate(batch.messages[old] for old in missing)
    ]
    connection.execute(insert(batches).values(row))
    connection.execute(insert(messages), moved)
    connection.execute(
        update(recipients)
        .where(recipients.c.batch_id == batch.id, recipients.c.object_index == bindparam("old"))
        .values(batch_id=row["id"], object_index=bindparam("new")),
        moves,
    )
    connection.execute(
        delete(messages).where(messages.c.batch_id == batch.id, messages.c.object_index == bindparam("old")), moves
    )
    return str(row["id"])


def _set_state(connection: Connection, batch_id: str, state: BatchState, answered_at: float | None = None) -> None:
    changed = {"state": state, "doubt": None, "answered_at": answered_at}
    connection.execute(update(batches).where(batches.c.id == batch_id).values(changed))
