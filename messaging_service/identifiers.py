"""Identifiers: UUIDs that grow with time, so that new rows land at the end of every index."""

import os
import time
from uuid import UUID

_VERSION_7 = 0x7 << 76
_VARIANT = 0b10 << 62


def new_id() -> str:
    """Return a UUID of version 7 (RFC 9562): 48 bits of milliseconds, then 74 random bits."""
    milliseconds = time.time_ns() // 1_000_000
    random = int.from_bytes(os.urandom(10))
    value = milliseconds << 80 | _VERSION_7 | (random >> 68 & 0xFFF) << 64 | _VARIANT | random & (1 << 62) - 1
    return str(UUID(int=value))
