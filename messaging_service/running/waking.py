"""Wakes a loop that sleeps, so that work on this machine starts at once and polling is left for work of others."""

import asyncio
import socket
from collections.abc import Callable
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


class WakeUpCall:
    """Wakes the worker process, whoever has work for it. It outlives both, so that each may start again."""

    def __init__(self) -> None:
        self._sending, self.receiving = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._sending.setblocking(False)
        self.receiving.setblocking(False)

    def wake(self) -> None:
        """Say that there is work. A full queue has said it already."""
        with suppress(BlockingIOError, ConnectionError):
            self._sending.send(b"\0")

    def on_wake(self, wake: Callable[[], None]) -> None:
        """Have ``wake`` called, in the running event loop, when somebody has work."""
        asyncio.get_running_loop().add_reader(self.receiving, self._wake, wake)

    def _wake(self, wake: Callable[[], None]) -> None:
        with suppress(BlockingIOError):
            while self.receiving.recv(1):
                pass
        wake()
