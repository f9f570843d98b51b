"""Take back what waits at the provider for its time: of a campaign that was cancelled after it was handed over."""

import asyncio
from contextlib import suppress

from flows import ledger
from flows.advice import calling
from flows.ledger import Delivery, LeaseTaken, Ledger, PlannedCampaign, Waiting
from flows.ledger.reconciling import open_batches
from flows.provider import Provider
from flows.sending.doubts import settle_doubts
from flows.sending.outbox import Outbox
from flows.sending.work import held
from interface.errors import Conflict, NotFound
from interface.results import Result

CALLS_IN_FLIGHT = 8


async def withdraw(book: Ledger, provider: Provider, campaign: PlannedCampaign) -> int:
    """Learn what became of a cancelled campaign's calls without an answer, then `recall`; when no run does it.

    A wave that a run is sending is left to that: it finds that the campaign is cancelled.
    """
    open_waves = {one.wave for one in await asyncio.to_thread(open_batches, book, campaign.id)}
    for wave in sorted(open_waves):
        with suppress(LeaseTaken):
            async with held(book, campaign.id, wave=wave) as lease:
                await settle_doubts(Outbox(lease, campaign.settings, provider))
    return await recall(book, provider, campaign.id)


async def recall(book: Ledger, provider: Provider, campaign_id: str) -> int:
    """Cancel at the provider what isn't sent yet (``POST /messaging/cancel``): files whole, else object by object.

    Returns how many people are not written to after all.
    """
    waiting = iter(await asyncio.to_thread(ledger.waiting_at_provider, book, campaign_id))

    async def one_after_another() -> int:
        return sum([len(one.phone_numbers) for one in waiting if await _cancelled(book, provider, one)])

    return sum(await asyncio.gather(*(one_after_another() for _ in range(CALLS_IN_FLIGHT))))


async def _cancelled(book: Ledger, provider: Provider, one: Waiting) -> bool:
    try:
        with calling("POST /messaging/cancel"):
            await provider.client.bulk_cancel(bulk_id=one.bulk_id, message_id=one.message_id)
    except (Conflict, NotFound):  # on its way, or at its end
        return False
    news = {number: Delivery(Result.CANCELLED) for number in one.phone_numbers}
    await asyncio.to_thread(ledger.record_deliveries, book, {one.batch_id: news})
    return True
