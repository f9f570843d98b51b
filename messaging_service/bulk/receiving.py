"""Takes a file as it arrives: unpacks it, counts it, writes it, and keeps it once it is whole."""

from dataclasses import dataclass
from typing import BinaryIO

from interface.bulk import Filetype
from messaging_service.bulk.unpacking import Gunzip


@dataclass(frozen=True, slots=True)
class Limits:
    """The most bytes of a file, as it is sent and unpacked."""

    sent: int
    unpacked: int


class OverLimit(Exception):  # noqa: N818
    """The file is larger than allowed; the message says which limit."""


class Incoming:
    """Writes what arrives of one file into ``file``, unpacked."""

    def __init__(self, file: BinaryIO, filetype: Filetype, limits: Limits) -> None:
        self._file = file
        self._gunzip = Gunzip() if filetype is Filetype.GZ else None
        self._limits = limits
        self._sent = 0
        self.size = 0
        """Bytes written so far."""

    def write(self, data: bytes) -> None:
        """Take the next bytes. Raises OverLimit, BrokenFile."""
        self._sent += len(data)
        if self._sent > self._limits.sent:
            raise OverLimit(f"The file is larger than {self._limits.sent} bytes.")
        for piece in [data] if self._gunzip is None else self._gunzip.feed(data):
            self.size += len(piece)
            if self.size > self._limits.unpacked:
                raise OverLimit(f"The file unpacks to more than {self._limits.unpacked} bytes.")
            self._file.write(piece)

    def finish(self) -> None:
        """Check that nothing is missing. Raises BrokenFile."""
        if self._gunzip is not None:
            self._gunzip.finish()
