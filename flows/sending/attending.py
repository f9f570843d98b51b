"""Attend to the waves of a campaign: send what may go now, and leave the rest to runs of their own."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from prefect import get_run_logger

from flows import ledger
from flows.ledger import Ledger, PlannedCampaign, Wave, WindowClosed
from flows.planning.clocks import Hours
from flows.planning.scheduling import is_left_to_its_run, schedule_wave
from flows.planning.waves import reopening, told_again
from flows.provider import Provider
from flows.sending.doubts import settle_doubts
from flows.sending.following import Follower
from flows.sending.outbox import Outbox
from flows.sending.rate import shared_rate
from flows.sending.work import held
from flows.tasks.following import Patience, follow_results
from flows.tasks.recalling import recall_from_provider
from flows.tasks.sending import send_some

CALLS_A_TASK = 100
"""Calls that one task run makes: task runs grow with thousands of recipients, not with each."""
EARLY_SECONDS = 60.0
"""Prefect starts a run up to half a second early; one that comes so much too early waits in its process."""


@dataclass(frozen=True)
class Attendant:
    """Who attends to one campaign's waves, with what it takes."""

    book: Ledger
    provider: Provider
    campaign: PlannedCampaign

    async def send_all(self) -> None:
        """Attend to every wave that isn't left to a run of its own; raises `NotNow` when the campaign is cancelled."""
        mine = [one for one in await self._waves() if one.outstanding and not await is_left_to_its_run(one)]
        # What is for later first: when that can't be scheduled, nothing of the campaign is sent.
        for wave in sorted(mine, key=lambda one: one.is_open(self.book.now())):
            await self._attend_to(wave)

    async def send_one(self, number: int) -> None:
        """Attend to one wave, whose own run this is."""
        wave = next(one for one in await self._waves() if one.number == number)
        early = (wave.planned.opens_at or 0.0) - self.book.now()
        if 0 < early <= EARLY_SECONDS:
            await asyncio.sleep(early)
        if wave.outstanding:
            await self._attend_to(wave)

    async def follow(self) -> None:
        """Wait for the results of what was sent, as long as the person who started the campaign wants to."""
        pace, settings = self.campaign.pace, self.campaign.settings
        scheduled = settings.datetime is not None or settings.delivery_time is not None
        patience = Patience(pace.follow_seconds, pace.quiet_seconds, scheduled)
        await follow_results(Follower(self.provider, self.book), self.campaign.id, patience)

    async def recall(self) -> None:
        """Take back what waits at the provider for its time; of a campaign that was cancelled, and has such."""
        if self.campaign.settings.waits_at_provider and await self._is_cancelled():
            await recall_from_provider(self.book, self.provider, self.campaign.id)

    async def _is_cancelled(self) -> bool:
        now = await asyncio.to_thread(ledger.read_campaign, self.book, self.campaign.id)
        return now is not None and now.cancelled_at is not None

    async def _waves(self) -> list[Wave]:
        return await asyncio.to_thread(ledger.read_waves, self.book, self.campaign.id)

    async def _attend_to(self, wave: Wave) -> None:
        if not wave.is_open(self.book.now()):
            await self._postpone(wave)
            return
        try:
            await self._send(wave)
        except WindowClosed:
            await self._postpone(wave)

    async def _send(self, wave: Wave) -> None:
        async with (
            held(self.book, self.campaign.id, wave=wave.number) as lease,
            shared_rate(lease, self.campaign.pace.rate) as bucket,
        ):
            outbox = Outbox(lease, self.campaign.settings, self.provider, bucket=bucket)
            try:
                await _send_batches(outbox)
            except ledger.Cancelled:
                await settle_doubts(outbox)
                raise

    async def _postpone(self, wave: Wave) -> None:
        if await self._is_cancelled():
            raise ledger.Cancelled
        planned = wave.planned
        hours = self.campaign.settings.hours
        now = self.book.now()
        if hours is not None and planned.closes_at is not None and planned.closes_at <= now:
            planned = reopening(planned, Hours.from_stored(hours), now)
            told = told_again(planned, Hours.from_stored(hours), now)
            await asyncio.to_thread(ledger.move_wave, self.book, self.campaign.id, planned, told)
        run = await schedule_wave(self.book, self.campaign, planned)
        get_run_logger().info("Wave %d will be sent by the run %r.", planned.number, run.name)


async def _send_batches(outbox: Outbox) -> None:
    """Send what the ledger has no answer for, some calls a task, until nothing of the wave is left."""
    while batch_ids := await _outstanding(outbox):
        get_run_logger().info("%d calls to make or to look up", len(batch_ids))
        for start in range(0, len(batch_ids), CALLS_A_TASK):
            if reason := await send_some(outbox, batch_ids[start : start + CALLS_A_TASK]):
                raise reason


async def _outstanding(outbox: Outbox) -> Sequence[str]:
    lease = outbox.lease
    return await asyncio.to_thread(ledger.outstanding, lease.ledger, lease.campaign_id, lease.wave)
