"""The callback receiver: a process that counts a marker in what it is sent, as cheaply as Python allows."""

import asyncio
import re
import sys
import time

import uvloop

RESPONSE = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
LENGTH = re.compile(rb"\r\ncontent-length:\s*(\d+)", re.IGNORECASE)


class Tally:
    """What was counted so far, and when (``time.time``) it was last added to."""

    def __init__(self, marker: bytes) -> None:
        self.marker = marker
        self.count = 0
        self.requests = 0
        self.last = 0.0

    def add(self, request: bytes) -> None:
        """Count the marker in one whole request, request line and headers included."""
        self.requests += 1
        found = request.count(self.marker)
        if found:
            self.count += found
            self.last = time.time()

    def response(self) -> bytes:
        """Answer ``GET /tally``: markers, requests and the time of the last marker, separated by spaces."""
        body = f"{self.count} {self.requests} {self.last:.6f}".encode()
        return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)


class Receiver(asyncio.Protocol):
    """One connection: takes requests with or without a body, kept alive or pipelined."""

    def __init__(self, tally: Tally) -> None:
        self.tally = tally
        self.pending = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport to answer on."""
        self.transport: asyncio.Transport = transport  # type: ignore[assignment]

    def data_received(self, data: bytes) -> None:
        """Answer every request that is complete."""
        self.pending += data
        while (end := self._end()) is not None:
            request, self.pending = self.pending[:end], self.pending[end:]
            self.transport.write(self._answer(request))

    def _end(self) -> int | None:
        head = self.pending.find(b"\r\n\r\n")
        if head < 0:
            return None
        length = LENGTH.search(self.pending, 0, head)
        end = head + 4 + (int(length[1]) if length else 0)
        return end if end <= len(self.pending) else None

    def _answer(self, request: bytes) -> bytes:
        if request.startswith(b"GET /tally "):
            return self.tally.response()
        self.tally.add(request)
        return RESPONSE


async def serve(port: int, marker: bytes) -> None:
    """Count ``marker`` in everything sent to ``port`` of the loopback, until the process is ended."""
    tally = Tally(marker)
    server = await asyncio.get_running_loop().create_server(lambda: Receiver(tally), "127.0.0.1", port, backlog=1024)
    await server.serve_forever()


def main() -> None:
    """Run with the port and the marker as arguments."""
    uvloop.run(serve(int(sys.argv[1]), sys.argv[2].encode()))


if __name__ == "__main__":
    main()
