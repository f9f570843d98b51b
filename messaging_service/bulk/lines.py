"""Reads an uploaded file line by line from any place in it, in constant memory. Pure but for the file."""

from collections.abc import Iterator
from itertools import islice
from typing import BinaryIO, Final, NamedTuple

LONGEST_LINE: Final = 1024 * 1024
"""Bytes of one message object, as in a call of its own."""
LINES_A_BATCH: Final = 1000
BYTES_A_BATCH: Final = 4 * LONGEST_LINE

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """A line: its number from 1, its bytes (None: too long), and where the next one begins."""

    number: int
    content: bytes | None
    end: int


class Place(NamedTuple):
    """A place in a file: the bytes and the lines before it."""

    position: int
    lines: int


def read_batch(file: BinaryIO, place: Place) -> list[Line]:
    """Return the next lines from ``place``, none at the end of the file. A file's last line needs no newline."""
    file.seek(place.position)
    batch = []
    size = 0
    for line in islice(_lines(file, place), LINES_A_BATCH):
        batch.append(line)
        size += len(line.content or b"")
        if size >= BYTES_A_BATCH:
            break
    return batch


def _lines(file: BinaryIO, place: Place) -> Iterator[Line]:
    number, end = place.lines, place.position
    while raw := file.readline(LONGEST_LINE + 1):
        number += 1
        is_whole = len(raw) <= LONGEST_LINE or raw.endswith(b"\n")
        end += len(raw) if is_whole else len(raw) + _skip(file)
        content = raw.removeprefix(_BYTE_ORDER_MARK) if number == 1 else raw
        yield Line(number, content.strip() if is_whole else None, end)


def _skip(file: BinaryIO) -> int:
    """Go to the end of a line that is too long. Returns how many bytes that were."""
    skipped = 0
    while raw := file.readline(LONGEST_LINE):
        skipped += len(raw)
        if raw.endswith(b"\n"):
            break
    return skipped
