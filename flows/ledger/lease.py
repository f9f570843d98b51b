"""The owner lease: of two processes that run one campaign, only one sends."""

from dataclasses import dataclass

from sqlalchemy import or_, update

from flows.ledger.database import Ledger
from flows.ledger.tables import campaigns
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
    """The right of one owner to send one campaign's batches, until it ends."""

    ledger: Ledger
    campaign_id: str
    owner: str
    seconds: float = LEASE_SECONDS

    def renew(self) -> None:
        """Keep the lease; raises `LeaseLost` when another owner has it."""
        if not _hold(self):
            raise LeaseLost

    def give_back(self) -> None:
        """End the lease, so that the next run need not wait for it; no-op when it is another's."""
        mine = (campaigns.c.id == self.campaign_id) & (campaigns.c.owner == self.owner)
        with self.ledger.write() as connection:
            connection.execute(update(campaigns).where(mine).values(owner=None, lease_until=None))


def take_lease(ledger: Ledger, campaign_id: str, owner: str, seconds: float = LEASE_SECONDS) -> Lease:
    """Take the campaign, or take it over from an owner whose lease has ended; raises `LeaseTaken`."""
    lease = Lease(ledger, campaign_id, owner, seconds)
    if not _hold(lease):
        raise LeaseTaken
    return lease


def _hold(lease: Lease) -> bool:
    now = lease.ledger.now()
    free_or_mine = or_(campaigns.c.owner.is_(None), campaigns.c.owner == lease.owner, campaigns.c.lease_until <= now)
    held = (
        update(campaigns)
        .where(campaigns.c.id == lease.campaign_id, free_or_mine)
        .values(owner=lease.owner, lease_until=now + lease.seconds)
    )
    with lease.ledger.write() as connection:
        return connection.execute(held).rowcount == 1
