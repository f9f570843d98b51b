"""Identifiers: UUIDs that grow with time, so that new rows land at the end of every index."""

import os
import time
from random import Random

_VERSION_AND_VARIANT = 0x7 << 76 | 0b10 << 62
_RANDOM_A = 0xFFF << 64
_RANDOM_B = (1 << 62) - 1

# An identifier is no secret (only its own key reads a message), and a system call for each would cost more.
_random = Random(os.urandom(32))  # noqa: S311
os.register_at_fork(after_in_child=lambda: _random.seed(os.urandom(32)))


def new_id() -> str:
    """Return a UUID of version 7 (RFC 9562): 48 bits of milliseconds, then 74 random bits."""
    bits = _random.getrandbits(76)
    value = time.time_ns() // 1_000_000 << 80 | _VERSION_AND_VARIANT | bits & _RANDOM_A | bits & _RANDOM_B
    digits = f"{value:032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
