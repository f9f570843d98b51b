"""The owner lease: of two processes that run one wave of a campaign, only one sends."""

from dataclasses import dataclass

from sqlalchemy import ColumnElement, func, or_, select, update

from flows.ledger.database import Ledger
from flows.ledger.tables import waves
from flows.problems import LedgerProblem

LEASE_SECONDS = 15.0
"""How long a killed process keeps others waiting; a living one renews three times as often."""


class LeaseTaken(LedgerProblem):
    """Another process works on this."""

    def __init__(self, work: str = "this campaign") -> None:
        super().__init__(f"Another run is working on {work}; this one may go on when that has ended.")


class LeaseLost(LedgerProblem):
    """The process was away for so long that another may have taken over."""

    def __init__(self, work: str = "the campaign") -> None:
        super().__init__(f"This run lost its lease on {work}; another may have taken over, so it does no more.")


@dataclass(frozen=True)
class Lease:
    """The right of one owner to send the batches of one wave of a campaign, until it ends."""

    ledger: Ledger
    campaign_id: str
    owner: str
    seconds: float = LEASE_SECONDS
    wave: int = 1

    def renew(self) -> None:
        """Keep the lease; raises `LeaseLost` when another owner has it."""
        if not _hold(self):
            raise LeaseLost

    def give_back(self) -> None:
        """End the lease, so that the next run need not wait for it; no-op when it is another's."""
        mine = _wave(self) & (waves.c.owner == self.owner)
        with self.ledger.write() as connection:
            connection.execute(update(waves).where(mine).values(owner=None, lease_until=None))


def take_lease(ledger: Ledger, campaign_id: str, owner: str, seconds: float = LEASE_SECONDS, *, wave: int = 1) -> Lease:
    """Take the wave, or take it over from an owner whose lease has ended; raises `LeaseTaken`."""
    lease = Lease(ledger, campaign_id, owner, seconds, wave)
    if not _hold(lease):
        raise LeaseTaken
    return lease


def waves_at_work(ledger: Ledger, campaign_id: str) -> int:
    """Count the campaign's waves that a process is sending now."""
    held = select(func.count()).where(waves.c.campaign_id == campaign_id, waves.c.lease_until > ledger.now())
    with ledger.read() as connection:
        return connection.scalar(held) or 0


def _hold(lease: Lease) -> bool:
    now = lease.ledger.now()
    free_or_mine = or_(waves.c.owner.is_(None), waves.c.owner == lease.owner, waves.c.lease_until <= now)
    held = update(waves).where(_wave(lease), free_or_mine).values(owner=lease.owner, lease_until=now + lease.seconds)
    with lease.ledger.write() as connection:
        return connection.execute(held).rowcount == 1


def _wave(lease: Lease) -> ColumnElement[bool]:
    return (waves.c.campaign_id == lease.campaign_id) & (waves.c.number == lease.wave)
