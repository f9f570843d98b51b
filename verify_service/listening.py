"""Listens on the service's port: the processes share it, a stranger is refused."""

import socket
import sys
from typing import Any

SHARED = (socket.SO_REUSEPORT,) if sys.platform == "linux" else ()
"""Options of sockets over which the kernel spreads the connections to one port; none where it doesn't."""
_BACKLOG = 512


def listen_alone(host: str, port: int) -> socket.socket:
    """Listen on a port that nobody else has, so that only our own processes share it. Raises OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with _bound(family, (host, port)) as alone:  # fails where anybody listens, which a shared socket wouldn't
        address = alone.getsockname()
    return listen(family, address, *SHARED)


def listen(family: int, address: Any, *options: int) -> socket.socket:  # noqa: ANN401 - as the family has it
    """Listen on an address. Raises OSError."""
    listener = _bound(family, address, *options)
    listener.listen(_BACKLOG)
    return listener


def _bound(family: int, address: Any, *options: int) -> socket.socket:  # noqa: ANN401
    found = socket.socket(family)
    try:
        for option in (socket.SO_REUSEADDR, *options):
            found.setsockopt(socket.SOL_SOCKET, option, 1)
        found.bind(address)
    except OSError:
        found.close()
        raise
    return found
