"""A load generator on raw asyncio connections: a given number of calls, or as many as a length of time allows."""

import asyncio
import re
import time
from collections.abc import Iterator
from itertools import count

from benchmarks.call import Call

STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})")
LENGTH = re.compile(rb"\r\ncontent-length:\s*(\d+)", re.IGNORECASE)
SUCCESS = range(200, 300)
PATIENCE = 120
"""Seconds a whole stream of calls may take beyond what was asked for."""

Counted = tuple[int, int, float]
"""Calls answered, those among them that failed, seconds."""


def for_seconds(port: int, connections: int, call: Call, seconds: float, first: int) -> Counted:
    """Repeat ``call`` for ``seconds`` on so many connections, each waiting for an answer before the next call."""
    indexes = _while_in(seconds, count(first, call.recipients))
    return asyncio.run(_run(port, connections, _requests(call, indexes)))


def so_many(port: int, connections: int, call: Call, calls: int, first: int) -> Counted:
    """Make exactly ``calls`` calls on so many connections; the requests are prepared before the clock starts."""
    prepared = list(_requests(call, iter(range(first, first + calls * call.recipients, call.recipients))))
    return asyncio.run(_run(port, connections, iter(prepared)))


def _while_in(seconds: float, indexes: Iterator[int]) -> Iterator[int]:
    deadline = time.monotonic() + seconds  # the clock starts with the first request, once all connections are open
    for index in indexes:
        if time.monotonic() >= deadline:
            return
        yield index


def _requests(call: Call, firsts: Iterator[int]) -> Iterator[bytes]:
    return (call.render(first, "127.0.0.1") for first in firsts)


async def _run(port: int, connections: int, requests: Iterator[bytes]) -> Counted:
    opened = [await asyncio.open_connection("127.0.0.1", port) for _ in range(connections)]
    start = time.perf_counter()
    statuses = await asyncio.gather(*(_converse(reader, writer, requests) for reader, writer in opened))
    seconds = time.perf_counter() - start
    for _, writer in opened:
        writer.close()
    flat = [status for conversation in statuses for status in conversation]
    return len(flat), sum(status not in SUCCESS for status in flat), seconds


async def _converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, requests: Iterator[bytes]) -> list[int]:
    statuses = []
    for request in requests:
        writer.write(request)
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), PATIENCE)
        length = LENGTH.search(head)
        await reader.readexactly(int(length[1]) if length else 0)
        status = STATUS.match(head)
        statuses.append(int(status[1]) if status else 0)
    return statuses
