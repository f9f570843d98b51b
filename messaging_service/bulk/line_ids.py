"""Identifiers of lines, derived so that reading a line again gives it the same one. Pure."""

from uuid import UUID

_LINE_BITS = 32
_LOW_BITS = 42
_LOW = (1 << _LOW_BITS) - 1
_TIME_AND_VERSION = ((1 << 52) - 1) << 76
_VARIANT = 0b10 << 62


def line_id(request_id: str, line: int) -> str:
    """Return a UUID of version 7 for a line (1 to 2**32 - 1) of a request, in the order of the lines.

    It has the moment and the low random bits of the request's id; the line's number takes the place of the others.
    """
    if not 0 < line < 1 << _LINE_BITS:
        raise ValueError(f"a file has no line {line}")
    whole = UUID(request_id).int
    high, low = line >> 20, line & 0xFFFFF
    return str(UUID(int=whole & _TIME_AND_VERSION | high << 64 | _VARIANT | low << _LOW_BITS | whole & _LOW))
