"""Ports for programs that are told which to take, seconds before they take it."""

import random
import socket
from contextlib import suppress

NOBODY_IS_GIVEN_THESE = range(20_000, 32_000)
"""Below those that Linux gives to whoever asks for any port, so that no server or call of another test gets one."""


def free_ports(count: int) -> list[int]:
    """Return ports that are free, all different."""
    found: list[int] = []
    for port in random.sample(NOBODY_IS_GIVEN_THESE, 100):
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            found.append(port)
        if len(found) == count:
            return found
    raise RuntimeError(f"only {len(found)} of 100 ports are free")
