"""Hold a campaign while it is being sent: take its lease, keep it, give it back."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from sqlalchemy.exc import OperationalError

from flows import ledger
from flows.ledger import LEASE_SECONDS, Lease, LeaseLost, LeaseTaken, Ledger

TRIES_TO_RENEW = 3
"""A lease is renewed this many times in its span, so that one slow answer of the database doesn't lose it."""


@asynccontextmanager
async def held(book: Ledger, campaign_id: str, seconds: float = LEASE_SECONDS) -> AsyncIterator[Lease]:
    """Hold the campaign for the time of the block, as an owner of its own: two processes of one run are kept apart.

    Waits for the lease of a killed process to end; raises `LeaseTaken` when a living one keeps it.
    """
    lease = await _take(book, campaign_id, seconds)
    keeping = asyncio.create_task(_keep(lease))
    try:
        yield lease
    finally:
        keeping.cancel()
        with suppress(asyncio.CancelledError):
            await keeping
        await asyncio.to_thread(lease.give_back)


async def _take(book: Ledger, campaign_id: str, seconds: float) -> Lease:
    owner = uuid.uuid4().hex
    patience = book.now() + seconds + 1
    while True:
        try:
            return await asyncio.to_thread(ledger.take_lease, book, campaign_id, owner, seconds)
        except LeaseTaken:
            if book.now() > patience:
                raise
        await asyncio.sleep(min(1.0, seconds / TRIES_TO_RENEW))


async def _keep(lease: Lease) -> None:
    # A lost lease is not raised here: the next claim raises it, where it matters. A database that is away for a
    # moment is tried again.
    with suppress(LeaseLost):
        while True:
            await asyncio.sleep(lease.seconds / TRIES_TO_RENEW)
            with suppress(OperationalError):
                await asyncio.to_thread(lease.renew)
