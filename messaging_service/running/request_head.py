"""Refuses requests whose head, the first line and the headers, is larger than any call's."""

from typing import Final

import orjson
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

MAX_HEAD: Final = 64 * 1024
"""Bytes of a head: what uvicorn's other parser takes, and as long as an address may be to this one."""
_BYTES_A_LINE = 16  # "GET", " HTTP/1.1", and what ends the line
_BYTES_A_HEADER = 4  # the colon, a space, and what ends the line
_LINGER_SECONDS = 2.0


class _HeadTooLarge(Exception):  # noqa: N818 - ends parsing, and nobody sees it
    """A head is over the limit."""


class BoundedHeadProtocol(HttpToolsProtocol):
    """HTTP as uvicorn speaks it, which has no such limit of its own: 431, and the connection ends.

    Every call passes here, so that only heads are measured that may be too large by how much was received.
    """

    _is_in_head = False
    _is_refused = False
    _part = 0  # bytes received last
    _first_part = 0  # bytes received with the beginning of the present head
    _further = 0  # bytes received after these

    def data_received(self, data: bytes) -> None:
        """Take what came."""
        if self._is_refused:
            return
        self._part = len(data)
        self._further += self._part
        super().data_received(data)
        if self._is_in_head and self._further > MAX_HEAD:
            self._refuse()

    def on_message_begin(self) -> None:
        """Begin a request."""
        self._is_in_head = True
        self._first_part, self._further = self._part, 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """End the head."""
        self._is_in_head = False
        if self._first_part + self._further > MAX_HEAD and self._size() > MAX_HEAD:
            self._refuse()
            raise _HeadTooLarge
        super().on_headers_complete()

    def send_400_response(self, msg: str) -> None:
        """Answer what the parser couldn't read, or wasn't to read on."""
        if not self._is_refused:
            super().send_400_response(msg)

    def _size(self) -> int:
        headers = sum(len(name) + len(value) + _BYTES_A_HEADER for name, value in self.headers)
        return _BYTES_A_LINE + len(self.url) + headers

    def _refuse(self) -> None:
        self._is_refused = True
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.keep_alive = False  # the request before is answered; ours would be taken for its answer
            return
        body = orjson.dumps({"message": f"The address and the headers are larger than {MAX_HEAD // 1024} KiB."})
        lines = [b"%s: %s" % header for header in self.server_state.default_headers]
        lines += [b"content-type: application/json", b"content-length: %d" % len(body), b"connection: close"]
        self.transport.write(STATUS_LINE[431] + b"\r\n".join([*lines, b"", body]))
        # A connection that is closed with something unread in it is reset, and its answer may be lost.
        self.loop.call_later(_LINGER_SECONDS, self.transport.close)
