"""The life of a batch: claimed before the call, answered after it, settled by a look-up when the answer was lost."""

from collections.abc import Collection, Mapping
from itertools import groupby

from sqlalchemy import ColumnElement, Connection, String, bindparam, case, cast, exists, func, null, select, update

from flows.ledger.database import Ledger
from flows.ledger.lease import Lease, LeaseLost
from flows.ledger.records import Answer, Batch, BatchState, PlannedMessage, PlannedRecipient
from flows.ledger.tables import batches, campaigns, messages, recipients


def outstanding(ledger: Ledger, campaign_id: str) -> list[str]:
    """List the batches without an answer, in the order of the plan: to be sent, or looked up first."""
    unanswered = (batches.c.campaign_id == campaign_id) & (batches.c.state != BatchState.ANSWERED)
    with ledger.read() as connection:
        return list(connection.scalars(select(batches.c.id).where(unanswered).order_by(batches.c.position)))


def load(ledger: Ledger, batch_id: str) -> Batch:
    """Return a batch as it stands, with all its messages."""
    with ledger.read() as connection:
        return _load(connection, batch_id)


def claim(lease: Lease, batch_id: str) -> Batch | None:
    """Take a planned batch, durably, before its call; ``None`` when it is not planned any more.

    Raises `LeaseLost` when the lease has ended: then the batch stays as it is and must not be sent.
    """
    return _take(lease, batch_id, {BatchState.PLANNED})


def claim_again(lease: Lease, batch_id: str) -> Batch | None:
    """Take a batch in doubt to repeat it under its own idempotency key; else as `claim`."""
    return _take(lease, batch_id, {BatchState.CLAIMED, BatchState.IN_DOUBT})


def record_answer(ledger: Ledger, batch: Batch, answer: Answer) -> BatchState:
    """Keep the provider's answer. A message object that it doesn't mention leaves the batch in doubt."""
    mentioned = answer.accepted.keys() | answer.rejected.keys()
    missing = len(batch.messages) - len(mentioned & set(range(len(batch.messages))))
    state = BatchState.IN_DOUBT if missing else BatchState.ANSWERED
    doubt = f"{missing} messages neither accepted nor rejected" if missing else None
    with ledger.write() as connection:
        record_accepted(connection, batch.id, answer.accepted)
        record_refused(connection, batch.id, answer.rejected)
        connection.execute(
            update(batches)
            .where(batches.c.id == batch.id)
            .values(state=state, doubt=doubt, request_id=answer.request_id, answered_at=ledger.now())
        )
    return state


def mark_in_doubt(ledger: Ledger, batch: Batch, why: str) -> None:
    """Note that the claimed call's outcome is unknown, and why, for the person who looks at it."""
    with ledger.write() as connection:
        connection.execute(update(batches).where(_as_claimed(batch)).values(state=BatchState.IN_DOUBT, doubt=why))


def release(ledger: Ledger, batch: Batch) -> None:
    """Undo a claim: the provider certainly took nothing of the call."""
    first_claim = batches.c.attempts == 1
    undone = {
        "state": BatchState.PLANNED,
        "doubt": None,
        "attempts": batches.c.attempts - 1,
        "first_claimed_at": case((first_claim, null()), else_=batches.c.first_claimed_at),
    }
    with ledger.write() as connection:
        connection.execute(update(batches).where(_as_claimed(batch)).values(undone))


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


def _as_claimed(batch: Batch) -> ColumnElement[bool]:
    # Not when another process has taken over meanwhile: what it knows is newer.
    return (batches.c.id == batch.id) & (batches.c.state == BatchState.CLAIMED) & (batches.c.attempts == batch.attempts)


def _one_object() -> ColumnElement[bool]:
    return (recipients.c.batch_id == bindparam("batch")) & (recipients.c.object_index == bindparam("object"))


def _take(lease: Lease, batch_id: str, states: Collection[BatchState]) -> Batch | None:
    now = lease.ledger.now()
    lease_is_held = exists().where(
        campaigns.c.id == lease.campaign_id, campaigns.c.owner == lease.owner, campaigns.c.lease_until > now
    )
    taken = (
        update(batches)
        .where(batches.c.id == batch_id, batches.c.state.in_(states), lease_is_held)
        .values(
            state=BatchState.CLAIMED,
            attempts=batches.c.attempts + 1,
            first_claimed_at=func.coalesce(batches.c.first_claimed_at, now),
            claimed_at=now,
        )
    )
    with lease.ledger.write() as connection:
        if connection.execute(taken).rowcount == 1:
            return _load(connection, batch_id)
        if not connection.scalar(select(case((lease_is_held, 1), else_=0))):
            raise LeaseLost
    return None


def _load(connection: Connection, batch_id: str) -> Batch:
    row = connection.execute(select(batches).where(batches.c.id == batch_id)).one()
    joined = messages.join(
        recipients,
        (recipients.c.batch_id == messages.c.batch_id) & (recipients.c.object_index == messages.c.object_index),
    )
    rows = connection.execute(
        select(messages.c.object_index, messages.c.body, recipients.c.phone_number, recipients.c.line)
        .select_from(joined)
        .where(messages.c.batch_id == batch_id)
        .order_by(messages.c.object_index, recipients.c.recipient_index)
    )
    objects = tuple(
        PlannedMessage(body, tuple(PlannedRecipient(one.phone_number, one.line) for one in group))
        for (_, body), group in groupby(rows, key=lambda one: (one.object_index, one.body))
    )
    return Batch(
        id=row.id,
        campaign_id=row.campaign_id,
        tag=row.tag,
        state=BatchState(row.state),
        attempts=row.attempts,
        first_claimed_at=row.first_claimed_at,
        claimed_at=row.claimed_at,
        request_id=row.request_id,
        messages=objects,
    )
