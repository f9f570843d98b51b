"""What it takes to send one campaign's batches."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from flows.ledger import CampaignSettings, Lease, Ledger
from flows.provider import Provider
from flows.sending.rate import TokenBucket

CALLS_IN_FLIGHT = 8


@dataclass(frozen=True)
class Outbox:
    """The right to send a wave, what its messages share, and the way to the provider."""

    lease: Lease
    settings: CampaignSettings
    provider: Provider
    bucket: TokenBucket | None = None
    sleep: Callable[[float], Awaitable[None]] = field(default=asyncio.sleep)
    in_flight: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(CALLS_IN_FLIGHT))

    @property
    def ledger(self) -> Ledger:
        """The ledger that decides."""
        return self.lease.ledger
