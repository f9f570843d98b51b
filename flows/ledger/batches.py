"""The life of a batch: claimed before the call, answered after it, settled by a look-up when the answer was lost."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, String, bindparam, case, cast, func, null, select, update

from flows.ledger.database import Ledger
from flows.ledger.records import (
    Answer,
    Batch,
    BatchState,
    NothingTaken,
    Outcome,
    PlannedMessage,
    PlannedRecipient,
    Unknown,
    Uploaded,
    Way,
)
from flows.ledger.tables import batches, messages, recipients


def outstanding(ledger: Ledger, campaign_id: str, wave: int | None = None) -> list[str]:
    """List the batches without an answer, of one wave or all, in the order of the plan: to be sent or looked up."""
    unanswered = (batches.c.campaign_id == campaign_id) & (batches.c.state != BatchState.ANSWERED)
    if wave is not None:
        unanswered &= batches.c.wave == wave
    with ledger.read() as connection:
        return list(connection.scalars(select(batches.c.id).where(unanswered).order_by(batches.c.position)))


def sizes(ledger: Ledger, batch_ids: Sequence[str]) -> dict[str, int]:
    """Count the recipients of each of these batches."""
    counted = select(recipients.c.batch_id, func.count()).where(recipients.c.batch_id.in_(batch_ids))
    with ledger.read() as connection:
        return {row[0]: row[1] for row in connection.execute(counted.group_by(recipients.c.batch_id))}


def load(ledger: Ledger, batch_id: str) -> Batch:
    """Return a batch as it stands, with all its messages."""
    with ledger.read() as connection:
        (batch,) = load_all(connection, [batch_id])
    return batch


def record(ledger: Ledger, outcomes: Sequence[tuple[Batch, Outcome]]) -> list[str]:
    """Keep what became of calls, all in one transaction; return the batches of which something is open still.

    These are those with a message object that the provider's answer doesn't mention: they are in doubt.
    """
    if not outcomes:
        return []
    with ledger.write() as connection:
        return [batch.id for batch, outcome in outcomes if _is_left_open(connection, batch, outcome, ledger.now())]


def _is_left_open(connection: Connection, batch: Batch, outcome: Outcome, now: float) -> bool:
    match outcome:
        case Answer():
            return _record_answer(connection, batch, outcome, now)
        case Uploaded():
            _record_upload(connection, batch, now)
        case NothingTaken():
            _release(connection, batch)
        case Unknown(why):
            doubt = {"state": BatchState.IN_DOUBT, "doubt": why}
            connection.execute(update(batches).where(as_claimed(batch)).values(doubt))
    return False


def _record_answer(connection: Connection, batch: Batch, answer: Answer, now: float) -> bool:
    mentioned = answer.accepted.keys() | answer.rejected.keys()
    missing = len(batch.messages) - len(mentioned & set(range(len(batch.messages))))
    record_accepted(connection, batch.id, answer.accepted)
    record_refused(connection, batch.id, answer.rejected)
    answered = {
        "state": BatchState.IN_DOUBT if missing else BatchState.ANSWERED,
        "doubt": f"{missing} messages neither accepted nor rejected" if missing else None,
        "request_id": answer.request_id,
        "answered_at": now,
    }
    connection.execute(update(batches).where(batches.c.id == batch.id).values(answered))
    return missing > 0


def _record_upload(connection: Connection, batch: Batch, now: float) -> None:
    taken = {"state": BatchState.ANSWERED, "doubt": None, "answered_at": now}
    planned = (recipients.c.batch_id == batch.id) & (recipients.c.result == "planned")
    connection.execute(update(recipients).where(planned).values(result="accepted"))
    connection.execute(update(batches).where(batches.c.id == batch.id).values(taken))


def _release(connection: Connection, batch: Batch) -> None:
    first_claim = batches.c.attempts == 1
    undone = {
        "state": BatchState.PLANNED,
        "doubt": None,
        "attempts": batches.c.attempts - 1,
        "first_claimed_at": case((first_claim, null()), else_=batches.c.first_claimed_at),
    }
    connection.execute(update(batches).where(as_claimed(batch)).values(undone))


def record_accepted(connection: Connection, batch_id: str, accepted: Mapping[int, str]) -> None:
    """Give every recipient of the accepted message objects the id ``<message_id>-<index>`` (section 2.2)."""
    if not accepted:
        return
    message_id = bindparam("message_id", type_=String) + "-" + cast(recipients.c.recipient_index, String)
    connection.execute(
        update(recipients).where(_one_object()).values(message_id=message_id, result="accepted"),
        [{"batch": batch_id, "object": index, "message_id": given} for index, given in accepted.items()],
    )


def record_refused(connection: Connection, batch_id: str, refused: Mapping[int, str]) -> None:
    """Note that the recipients of these message objects get nothing, for the provider's reason."""
    if not refused:
        return
    connection.execute(
        update(recipients).where(_one_object()).values(result="refused", reason=bindparam("why")),
        [{"batch": batch_id, "object": index, "why": reason} for index, reason in refused.items()],
    )


def as_claimed(batch: Batch) -> ColumnElement[bool]:
    """Match the batch unless another process has taken over meanwhile: what that one knows is newer."""
    return (batches.c.id == batch.id) & (batches.c.state == BatchState.CLAIMED) & (batches.c.attempts == batch.attempts)


def _one_object() -> ColumnElement[bool]:
    return (recipients.c.batch_id == bindparam("batch")) & (recipients.c.object_index == bindparam("object"))


def load_all(connection: Connection, batch_ids: Sequence[str]) -> list[Batch]:
    """Return batches as they stand, with all their messages, in the order of the plan."""
    rows = connection.execute(select(batches).where(batches.c.id.in_(batch_ids)).order_by(batches.c.position))
    objects = _messages(connection, batch_ids)
    return [_batch(row, tuple(objects.get(row.id, ()))) for row in rows]


def _messages(connection: Connection, batch_ids: Sequence[str]) -> dict[str, list[PlannedMessage]]:
    to = _recipients(connection, batch_ids)
    query = (
        select(messages.c.batch_id, messages.c.object_index, messages.c.body, messages.c.delivery_time)
        .where(messages.c.batch_id.in_(batch_ids))
        .order_by(messages.c.batch_id, messages.c.object_index)
    )
    found: dict[str, list[PlannedMessage]] = {}
    for batch_id, index, body, delivery_time in connection.execute(query):
        found.setdefault(batch_id, []).append(PlannedMessage(body, to.get((batch_id, index), ()), delivery_time))
    return found


def _recipients(
    connection: Connection, batch_ids: Sequence[str]
) -> dict[tuple[str, int], tuple[PlannedRecipient, ...]]:
    place = (recipients.c.batch_id, recipients.c.object_index)
    query = (
        select(*place, recipients.c.phone_number, recipients.c.line)
        .where(recipients.c.batch_id.in_(batch_ids))
        .order_by(*place, recipients.c.recipient_index)
    )
    rows: Iterator[Any] = iter(connection.execute(query))
    return {
        key: tuple(PlannedRecipient(number, line) for _, _, number, line in group)
        for key, group in groupby(rows, key=itemgetter(0, 1))
    }


def _batch(row: Row[Any], objects: tuple[PlannedMessage, ...]) -> Batch:
    return Batch(
        id=row.id,
        campaign_id=row.campaign_id,
        wave=row.wave,
        way=Way(row.way),
        tag=row.tag,
        state=BatchState(row.state),
        attempts=row.attempts,
        first_claimed_at=row.first_claimed_at,
        claimed_at=row.claimed_at,
        request_id=row.request_id,
        messages=objects,
    )
