"""Take back what waits at the provider for its time: of a campaign that was cancelled after it was handed over."""

import asyncio

from flows import ledger
from flows.advice import calling
from flows.ledger import Delivery, Ledger, Waiting
from flows.provider import Provider
from interface.errors import Conflict, NotFound
from interface.results import Result

CALLS_IN_FLIGHT = 8


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
