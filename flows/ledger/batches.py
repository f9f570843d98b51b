"""The life of a batch: claimed before the call, answered after it, settled by a look-up when the answer was lost."""

from collections.abc import Collection, Mapping, Sequence
from itertools import groupby
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    String,
    bindparam,
    case,
    cast,
    exists,
    func,
    null,
    select,
    update,
)

from flows.ledger.database import Ledger
from flows.ledger.lease import Lease, LeaseLost
from flows.ledger.records import Answer, Batch, BatchState, PlannedMessage, PlannedRecipient, Way
from flows.ledger.tables import batches, campaigns, messages, recipients, waves
from flows.problems import LedgerProblem


class NotNow(LedgerProblem):
    """The campaign may not be sent at this moment: it isn't approved, was cancelled, or the wave's window is closed."""


class Cancelled(NotNow):
    """Somebody cancelled the campaign."""

    def __init__(self) -> None:
        super().__init__("The campaign was cancelled; what hadn't gone stays unsent.")


class WindowClosed(NotNow):
    """Those of this wave may not be written to now."""

    def __init__(self) -> None:
        super().__init__("The hours in which these recipients may be written to are over, or have not begun.")


def outstanding(ledger: Ledger, campaign_id: str, wave: int | None = None) -> list[str]:
    """List the batches without an answer, of one wave or all, in the order of the plan: to be sent or looked up."""
    unanswered = (batches.c.campaign_id == campaign_id) & (batches.c.state != BatchState.ANSWERED)
    if wave is not None:
        unanswered &= batches.c.wave == wave
    with ledger.read() as connection:
        return list(connection.scalars(select(batches.c.id).where(unanswered).order_by(batches.c.position)))


def load(ledger: Ledger, batch_id: str) -> Batch:
    """Return a batch as it stands, with all its messages."""
    with ledger.read() as connection:
        return _load(connection, batch_id)


def claim(lease: Lease, batch_id: str) -> Batch | None:
    """Take a planned batch, durably, before its call; ``None`` when it is not planned any more.

    Raises `LeaseLost` when the lease has ended, and `NotNow` when the campaign is cancelled or not approved, or the
    wave's window is closed: then the batch stays as it is and must not be sent.
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


def record_upload(ledger: Ledger, batch: Batch) -> None:
    """Note that the provider has the batch's file; its messages' ids are learned with their results."""
    taken = {"state": BatchState.ANSWERED, "doubt": None, "answered_at": ledger.now()}
    planned = (recipients.c.batch_id == batch.id) & (recipients.c.result == "planned")
    with ledger.write() as connection:
        connection.execute(update(recipients).where(planned).values(result="accepted"))
        connection.execute(update(batches).where(batches.c.id == batch.id).values(taken))


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
    taken = (
        update(batches)
        .where(batches.c.id == batch_id, batches.c.state.in_(states), _lease_is_held(lease, now), _may_go(lease, now))
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
        if not _is_so(connection, _lease_is_held(lease, now)):
            raise LeaseLost
        if not _is_so(connection, _may_go(lease, now)):
            raise _why_not_now(connection, lease)
    return None


def _is_so(connection: Connection, condition: ColumnElement[bool]) -> bool:
    return bool(connection.scalar(select(case((condition, 1), else_=0))))


def _lease_is_held(lease: Lease, now: float) -> ColumnElement[bool]:
    return exists().where(
        waves.c.campaign_id == lease.campaign_id,
        waves.c.number == lease.wave,
        waves.c.owner == lease.owner,
        waves.c.lease_until > now,
    )


def _may_go(lease: Lease, now: float) -> ColumnElement[bool]:
    return exists().where(
        campaigns.c.id == lease.campaign_id,
        campaigns.c.approved_at.is_not(None),
        campaigns.c.cancelled_at.is_(None),
        waves.c.campaign_id == campaigns.c.id,
        waves.c.number == lease.wave,
        func.coalesce(waves.c.opens_at, now) <= now,
        func.coalesce(waves.c.closes_at, now + 1) > now,
    )


def _why_not_now(connection: Connection, lease: Lease) -> NotNow:
    campaign = connection.execute(select(campaigns).where(campaigns.c.id == lease.campaign_id)).one()
    if campaign.cancelled_at is not None:
        return Cancelled()
    if campaign.approved_at is None:
        return NotNow("Nobody has approved the campaign yet.")
    return WindowClosed()


def _load(connection: Connection, batch_id: str) -> Batch:
    row = connection.execute(select(batches).where(batches.c.id == batch_id)).one()
    joined = messages.join(
        recipients,
        (recipients.c.batch_id == messages.c.batch_id) & (recipients.c.object_index == messages.c.object_index),
    )
    rows = connection.execute(
        select(messages, recipients.c.phone_number, recipients.c.line)
        .select_from(joined)
        .where(messages.c.batch_id == batch_id)
        .order_by(messages.c.object_index, recipients.c.recipient_index)
    )
    objects = tuple(_message(list(group)) for _, group in groupby(rows, key=lambda one: one.object_index))
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


def _message(rows: Sequence[Row[Any]]) -> PlannedMessage:
    to = tuple(PlannedRecipient(one.phone_number, one.line) for one in rows)
    return PlannedMessage(rows[0].body, to, rows[0].delivery_time)
