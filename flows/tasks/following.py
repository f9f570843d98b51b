"""Tasks that wait for results."""

import asyncio
import time
from dataclasses import dataclass

from flows import ledger
from flows.sending.following import Follower
from flows.tasks.kinds import call

SHORTEST_PAUSE_SECONDS = 0.5
"""Between two looks while there is news; a look that takes longer is followed by a pause as long as itself."""
LONGEST_PAUSE_SECONDS = 30.0


@dataclass(frozen=True)
class Patience:
    """How long to wait: in all, and without news when only receipts are missing."""

    seconds: float
    quiet_seconds: float
    scheduled: bool = False


@call("follow-results")
async def follow_results(follower: Follower, campaign_id: str, patience: Patience) -> None:
    """Look for results, less and less often while there is no news, until all are final or patience ends."""
    end = time.monotonic() + patience.seconds
    last_news = time.monotonic()
    pause = SHORTEST_PAUSE_SECONDS
    while True:
        begun = time.monotonic()
        news = await follower.look(campaign_id)
        now = time.monotonic()
        last_news = now if news else last_news
        pause = max(SHORTEST_PAUSE_SECONDS, now - begun) if news else min(pause * 2, LONGEST_PAUSE_SECONDS)
        still = await asyncio.to_thread(ledger.open_results, follower.ledger, campaign_id)
        if not still.waiting and not still.without_receipt:
            return
        nothing_more_soon = patience.scheduled or not still.waiting
        ends = min(end, last_news + patience.quiet_seconds) if nothing_more_soon else end
        if now >= ends:
            await follower.look_at_all(campaign_id)
            return
        await asyncio.sleep(min(pause, ends - now, patience.quiet_seconds))
