"""Forgets what is kept for a time only."""

import asyncio

from messaging_service.clock import Clock
from messaging_service.idempotency import KEPT_FOR
from messaging_service.store import idempotency_keys
from messaging_service.store.engine import Store

_EVERY_SECONDS = 600


class Housekeeping:
    """Deletes expired idempotency keys now and then."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    async def run(self) -> None:
        """Tidy up until cancelled."""
        while True:
            await asyncio.to_thread(self.tidy)
            await asyncio.sleep(_EVERY_SECONDS)

    def tidy(self) -> None:
        """Tidy up once."""
        with self._store.writing() as connection:
            idempotency_keys.forget(connection, self._clock.now() - KEPT_FOR)
