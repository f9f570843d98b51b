"""One kept-alive connection on which JSON is posted, as cheaply as Python allows."""

import asyncio
import json
import time
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, NamedTuple

from benchmarks.stream import LENGTH, STATUS

PATIENCE = 30


class Told(NamedTuple):
    """An answer's members, and how many seconds it took."""

    content: dict[str, Any]
    seconds: float


class Conversation:
    """Posts one call after another."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def begin(cls, port: int) -> "Conversation":
        """Connect to a port of the loopback."""
        return cls(*await asyncio.open_connection("127.0.0.1", port))

    async def post(self, path: str, body: Mapping[str, str], headers: Mapping[str, str]) -> Told:
        """Post a JSON object. Raises ``RuntimeError`` unless it succeeds: a rate with failures in it is none."""
        content = json.dumps(body)
        fields = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        begun = time.perf_counter()
        self._writer.write(
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(content)}\r\n{fields}\r\n{content}".encode()
        )
        status, answer = await asyncio.wait_for(self._answer(), PATIENCE)
        seconds = time.perf_counter() - begun
        if status not in {HTTPStatus.OK, HTTPStatus.CREATED}:
            raise RuntimeError(f"POST {path} was answered with {status}: {answer.decode()[:200]}")
        return Told(json.loads(answer), seconds)

    def end(self) -> None:
        """Close the connection."""
        self._writer.close()

    async def _answer(self) -> tuple[int, bytes]:
        head = await self._reader.readuntil(b"\r\n\r\n")
        status, length = STATUS.match(head), LENGTH.search(head)
        if status is None or length is None:
            raise RuntimeError("an answer without a status or a length")
        return int(status[1]), await self._reader.readexactly(int(length[1]))
