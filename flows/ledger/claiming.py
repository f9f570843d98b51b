"""Take batches, durably, before their calls: who may, and whether now is the time."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import ColumnElement, Connection, case, exists, func, select, update

from flows.ledger.batches import as_claimed, load_all
from flows.ledger.lease import Lease, LeaseLost
from flows.ledger.records import Batch, BatchState
from flows.ledger.tables import batches, campaigns, waves
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


def claim_all(lease: Lease, batch_ids: Sequence[str]) -> list[Batch]:
    """Take those of the batches that are planned, durably and at once, before their calls; in the order of the plan.

    Raises `LeaseLost` when the lease has ended, and `NotNow` when the campaign is cancelled or not approved, or the
    wave's window is closed: then the batches stay as they are and must not be sent.
    """
    return _take(lease, batch_ids, {BatchState.PLANNED})


def claim_again(lease: Lease, batch_id: str) -> Batch | None:
    """Take a batch in doubt to repeat it under its own idempotency key; ``None`` when it isn't in doubt any more.

    Raises as `claim_all`.
    """
    return next(iter(_take(lease, [batch_id], {BatchState.CLAIMED, BatchState.IN_DOUBT})), None)


def confirm(lease: Lease, batch: Batch) -> Batch:
    """Claim anew what was claimed a while ago and not called: a look-up counts from the last claim.

    Raises as `claim_all`, and `LeaseLost` when another process has the batch.
    """
    now = lease.ledger.now()
    confirmed = update(batches).where(as_claimed(batch), *_allowed(lease, now)).values(claimed_at=now)
    with lease.ledger.write() as connection:
        if connection.execute(confirmed).rowcount == 1:
            return replace(batch, claimed_at=now)
        _raise_what_forbids(connection, lease, now)
    raise LeaseLost


def _take(lease: Lease, batch_ids: Sequence[str], states: Collection[BatchState]) -> list[Batch]:
    now = lease.ledger.now()
    taken = (
        update(batches)
        .where(batches.c.id.in_(batch_ids), batches.c.state.in_(states), *_allowed(lease, now))
        .values(
            state=BatchState.CLAIMED,
            attempts=batches.c.attempts + 1,
            first_claimed_at=func.coalesce(batches.c.first_claimed_at, now),
            claimed_at=now,
        )
        .returning(batches.c.id)
    )
    with lease.ledger.write() as connection:
        ids = list(connection.scalars(taken))
        if not ids:
            _raise_what_forbids(connection, lease, now)
        return load_all(connection, ids)


def _allowed(lease: Lease, now: float) -> tuple[ColumnElement[bool], ...]:
    return _lease_is_held(lease, now), _may_go(lease, now)


def _raise_what_forbids(connection: Connection, lease: Lease, now: float) -> None:
    if not _is_so(connection, _lease_is_held(lease, now)):
        raise LeaseLost
    if not _is_so(connection, _may_go(lease, now)):
        raise _why_not_now(connection, lease)


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
    campaign: Any = connection.execute(select(campaigns).where(campaigns.c.id == lease.campaign_id)).one()
    if campaign.cancelled_at is not None:
        return Cancelled()
    if campaign.approved_at is None:
        return NotNow("Nobody has approved the campaign yet.")
    return WindowClosed()
