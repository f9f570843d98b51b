"""Hold a campaign, or a turn, while one works on it: take the lease, keep it, give it back."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Protocol, TypeVar

from sqlalchemy.exc import OperationalError

from flows import ledger
from flows.ledger import LEASE_SECONDS, Lease, LeaseLost, LeaseTaken, Ledger, Turn

TRIES_TO_RENEW = 3
"""A lease is renewed this many times in its span, so that one slow answer of the database doesn't lose it."""


class Held(Protocol):
    """What is held for a span and renewed."""

    @property
    def seconds(self) -> float:
        """The span."""

    def renew(self) -> None:
        """Hold it for another span; raises `LeaseLost`."""

    def give_back(self) -> None:
        """Let it go."""


AnyHeld = TypeVar("AnyHeld", bound=Held)


@asynccontextmanager
async def held(
    book: Ledger, campaign_id: str, seconds: float = LEASE_SECONDS, *, wave: int = 1
) -> AsyncIterator[Lease]:
    """Hold a wave of the campaign for the time of the block, as an owner of its own: two processes are kept apart.

    Waits for the lease of a killed process to end; raises `LeaseTaken` when a living one keeps it.
    """
    take = partial(ledger.take_lease, book, campaign_id, uuid.uuid4().hex, seconds, wave=wave)
    lease = await _take(take, book, seconds)
    async with _kept(lease):
        yield lease


@asynccontextmanager
async def turn(book: Ledger, name: str, seconds: float = LEASE_SECONDS) -> AsyncIterator[Turn]:
    """Have the turn at the work of this name for the time of the block; waits and raises as `held`."""
    taken = await _take(partial(ledger.take_turn, book, name, uuid.uuid4().hex, seconds), book, seconds)
    async with _kept(taken):
        yield taken


async def _take(take: Callable[[], AnyHeld], book: Ledger, seconds: float) -> AnyHeld:
    patience = book.now() + seconds + 1
    while True:
        try:
            return await asyncio.to_thread(take)
        except LeaseTaken:
            if book.now() > patience:
                raise
        await asyncio.sleep(min(1.0, seconds / TRIES_TO_RENEW))


@asynccontextmanager
async def _kept(lease: Held) -> AsyncIterator[None]:
    keeping = asyncio.create_task(_keep(lease))
    try:
        yield
    finally:
        keeping.cancel()
        with suppress(asyncio.CancelledError):
            await keeping
        await asyncio.to_thread(lease.give_back)


async def _keep(lease: Held) -> None:
    # A lost lease is not raised here: the next claim raises it, where it matters. A database that is away for a
    # moment is tried again.
    with suppress(LeaseLost):
        while True:
            await asyncio.sleep(lease.seconds / TRIES_TO_RENEW)
            with suppress(OperationalError):
                await asyncio.to_thread(lease.renew)
