"""Wakes a loop that sleeps, so that work in this process starts at once and polling is left for work of others."""

import asyncio
from contextlib import suppress


class Waker:
    """Set by whoever makes work, waited for by the loop that does it. Only from the event loop's own thread."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def wake(self) -> None:
        """Say that there is work."""
        self._event.set()

    def begin(self) -> None:
        """Say that the loop is about to look for work: what is made from now on wakes it."""
        self._event.clear()

    async def sleep(self, seconds: float) -> None:
        """Wait for a wake since ``begin``, at most this long."""
        if seconds > 0:
            # Not wait_for: before Python 3.12 it loses a cancellation that comes together with a wake.
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await self._event.wait()
