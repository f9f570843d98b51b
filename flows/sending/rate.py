"""A send rate: messages a second that one process keeps to, whatever runs in it at once."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

from sqlalchemy.exc import OperationalError

from flows import ledger
from flows.ledger import Lease

SHARED_OUT_EVERY_SECONDS = 2.0

Sleep = Callable[[float], Awaitable[None]]


class TokenBucket:
    """Gives out a token a message, at ``rate`` a second and never in advance."""

    def __init__(
        self,
        rate: float,
        clock: Callable[[], float] = time.monotonic,
        sleep: Sleep = asyncio.sleep,
        *,
        begins_after: float = 0.0,
    ) -> None:
        self.rate = rate
        self._clock = clock
        self._sleep = sleep
        self._free_at = clock() + begins_after
        self._first = asyncio.Lock()

    async def take(self, tokens: int) -> None:
        """Wait until so many messages may go; those who ask first go first, each at the rate of that moment."""
        async with self._first:
            now = self._clock()
            mine = max(now, self._free_at)
            if mine > now:
                await self._sleep(mine - now)
            self._free_at = mine + tokens / self.rate


@asynccontextmanager
async def shared_rate(
    lease: Lease, rate: float | None, clock: Callable[[], float] = time.monotonic, sleep: Sleep = asyncio.sleep
) -> AsyncIterator[TokenBucket | None]:
    """Keep to this wave's share of a campaign's rate for the time of the block; None: there is no rate to keep to.

    Begins when the other waves at work have learnt of this one.
    """
    if rate is None:
        yield None
        return
    share = await _share(lease, rate)
    bucket = TokenBucket(share, clock, sleep, begins_after=SHARED_OUT_EVERY_SECONDS if share < rate else 0.0)
    sharing = asyncio.create_task(_share_out(bucket, lease, rate, sleep))
    try:
        yield bucket
    finally:
        sharing.cancel()
        with suppress(asyncio.CancelledError):
            await sharing


async def _share_out(bucket: TokenBucket, lease: Lease, rate: float, sleep: Sleep) -> None:
    while True:
        await sleep(SHARED_OUT_EVERY_SECONDS)
        with suppress(OperationalError):
            bucket.rate = await _share(lease, rate)


async def _share(lease: Lease, rate: float) -> float:
    return rate / max(1, await asyncio.to_thread(ledger.waves_at_work, lease.ledger, lease.campaign_id))
