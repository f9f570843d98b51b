"""Unpacks gzip as it arrives, in constant memory, and says at once when it is broken. Pure."""

import zlib
from collections.abc import Iterator

_GZIP = 16 + zlib.MAX_WBITS
_PIECE = 1024 * 1024


class BrokenFile(Exception):  # noqa: N818
    """The bytes aren't a whole gzip file."""


class Gunzip:
    """A gzip stream of one or more members, such as ``gzip`` and ``pigz`` write."""

    def __init__(self) -> None:
        self._member = zlib.decompressobj(_GZIP)
        self._is_whole = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield what ``data`` unpacks to, in pieces of at most 1 MiB. Raises BrokenFile."""
        try:
            yield from self._pieces(data)
        except zlib.error:
            raise BrokenFile from None

    def finish(self) -> None:
        """Check that the last member is complete. Raises BrokenFile."""
        if not self._is_whole:
            raise BrokenFile

    def _pieces(self, data: bytes) -> Iterator[bytes]:
        while data:
            if self._member.eof:
                self._member = zlib.decompressobj(_GZIP)
            self._is_whole = False
            if piece := self._member.decompress(data, _PIECE):
                yield piece
            if self._member.eof:
                self._is_whole = True
                data = self._member.unused_data
            else:
                data = self._member.unconsumed_tail
