"""Sends the head and the body of an answer together: uvicorn's two writes are two system calls and packets."""

import asyncio
from typing import Any, cast

from messaging_service.running.request_head import BoundedHeadProtocol


class OneWriteProtocol(BoundedHeadProtocol):
    """HTTP as uvicorn speaks it, with what one turn of the event loop writes sent by one system call."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin a connection."""
        super().connection_made(cast("asyncio.Transport", _Gathering(transport, self.loop)))


class _Gathering:
    """A transport whose writes wait for the end of the event loop's turn."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._parts: list[bytes] = []

    def write(self, data: bytes) -> None:
        if not self._parts:
            self._loop.call_soon(self._flush)
        self._parts.append(data)

    def close(self) -> None:
        self._flush()
        self._transport.close()

    def _flush(self) -> None:
        if self._parts:
            self._transport.write(b"".join(self._parts))
            self._parts.clear()

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever a transport offers
        return getattr(self._transport, name)
