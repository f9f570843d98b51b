"""Serves an ASGI application in a thread of this process, behind a real HTTP server."""

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from starlette.types import ASGIApp

TICKS_A_TENTH = 10


class _Server(uvicorn.Server):
    """Sees at once that it should end: a tenth of a second for each of thousands of tests is minutes."""

    async def main_loop(self) -> None:
        ticks = 0
        while not await self.on_tick(ticks // TICKS_A_TENTH):
            await asyncio.sleep(0.1 / TICKS_A_TENTH)
            ticks += 1


@contextmanager
def taken_place() -> Iterator[socket.socket]:
    """Take a free port, at which nobody listens yet and nobody else can."""
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        yield place


def address_of(place: socket.socket) -> str:
    return f"http://127.0.0.1:{place.getsockname()[1]}"


@contextmanager
def serving(app: ASGIApp, **options: Any) -> Iterator[str]:
    """Serve on a free port; gives the address. ``options`` are uvicorn's."""
    with taken_place() as place, serving_at(place, app, **options):
        yield address_of(place)


@contextmanager
def serving_at(place: socket.socket, app: ASGIApp, **options: Any) -> Iterator[None]:
    """Serve at a place that was taken."""
    chosen = {"log_config": None, "access_log": False, "timeout_graceful_shutdown": 1} | options
    server = _Server(uvicorn.Config(app, **chosen))
    thread = threading.Thread(target=server.run, args=([place],), name="server")
    thread.start()
    while not server.started:
        assert thread.is_alive(), "the server didn't start"
        time.sleep(0.005)
    try:
        yield
    finally:
        server.should_exit = True
        thread.join()
