"""The HTTP server: one port that several processes may listen on."""

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

from messaging_service.running.lifeline import Lifeline
from messaging_service.running.one_write import OneWriteProtocol

STOP_SECONDS = 10
_BACKLOG = 2048


class CannotStart(Exception):  # noqa: N818
    """The service can't start; the message says why in one sentence."""


@contextmanager
def reserved(host: str, port: int) -> Iterator[tuple[str, int]]:
    """Keep a port while the block runs; 0 takes a free one. Yields its address. Raises CannotStart when it is taken."""
    with _bound(host, port) as found:  # fails where anybody listens, which the shared socket below wouldn't
        port = found.getsockname()[1]
    with _bound(host, port, socket.SO_REUSEPORT) as ours:
        yield ours.getsockname()[:2]


@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """Open a socket on a port of ours; the kernel spreads connections over all such. Raises CannotStart."""
    with _bound(host, port, socket.SO_REUSEPORT) as listener:
        listener.listen(_BACKLOG)  # whoever comes before the server runs waits, and isn't told that nobody is there
        yield listener


def _bound(host: str, port: int, *options: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    try:
        for option in (socket.SO_REUSEADDR, *options):
            listener.setsockopt(socket.SOL_SOCKET, option, 1)
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise CannotStart(f"Can't listen on {host}:{port}: {error.strerror}. Choose another with --port.") from None
    return listener


class Server(uvicorn.Server):
    """Uvicorn, set up for this service: its own logs, no proxy guessing, and an end with the first process."""

    def __init__(self, application: ASGIApp, lifeline: Lifeline, on_stop: Callable[[], None]) -> None:
        self._lifeline = lifeline
        self._on_stop = on_stop
        super().__init__(
            uvicorn.Config(
                application,
                loop="uvloop",
                http=OneWriteProtocol,
                ws="none",
                log_config=None,
                access_log=False,
                proxy_headers=False,
                server_header=False,
                timeout_graceful_shutdown=STOP_SECONDS,
            ),
        )

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and watch the first process."""
        await super().startup(sockets)
        self._lifeline.on_end(self._stop)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop listening, and wait for the answers under way."""
        self._on_stop()
        await super().shutdown(sockets)

    def _stop(self) -> None:
        self.should_exit = True
