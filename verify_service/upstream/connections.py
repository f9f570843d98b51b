"""Connections to the upstream: kept open between calls, but never used again after they idled for long.

Head and body of a call leave together: the library's two writes are two system calls, and two turns for the upstream.
"""

import time
from typing import Any

from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, ProxyManager
from urllib3.connection import HTTPConnection, HTTPSConnection

IDLE_SECONDS = 1.5
"""How long a connection may have idled: less than servers wait (2 s at the least), since one that closes a connection
while we ask leaves us without an answer, and with a guess whose outcome nobody knows."""


class _Ours:
    """A connection that is as good as closed when its last answer is a while ago."""

    _answered_at = 0.0
    _parts: list[bytes] | None = None

    def request(self, *given: Any, **more: Any) -> None:  # noqa: ANN401 - as the library's, here and below
        """Send a call by one write."""
        parts: list[bytes] = []
        self._parts = parts
        try:
            super().request(*given, **more)  # type: ignore[misc]
        finally:
            self._parts = None
        self.send(b"".join(parts))

    def send(self, data: Any) -> None:  # noqa: ANN401
        """Send something, or keep it for the end of the call."""
        if self._parts is None:
            super().send(data)  # type: ignore[misc]
        else:
            self._parts.append(data)

    def getresponse(self) -> Any:  # noqa: ANN401
        """Return the answer's head, and remember when it came."""
        response = super().getresponse()  # type: ignore[misc]
        self._answered_at = time.monotonic()
        return response

    @property
    def is_connected(self) -> bool:
        """Whether a call may be sent on it; the pool opens it anew otherwise."""
        return time.monotonic() - self._answered_at < IDLE_SECONDS and bool(super().is_connected)  # type: ignore[misc]


class _Plain(_Ours, HTTPConnection):
    pass


class _Secure(_Ours, HTTPSConnection):
    pass


class _PlainPool(HTTPConnectionPool):
    ConnectionCls = _Plain


class _SecurePool(HTTPSConnectionPool):
    ConnectionCls = _Secure


_POOLS = {"http": _PlainPool, "https": _SecurePool}


class Connections(HTTPAdapter):
    """As many connections to one host as ``size`` threads need; a call is sent once."""

    def __init__(self, size: int) -> None:
        self._pool: Any = None
        super().__init__(pool_maxsize=size, max_retries=0)

    def get_connection_with_tls_context(self, *given: Any, **more: Any) -> Any:  # noqa: ANN401
        """Return the pool of the one host, found once: the library looks for it by each call's address."""
        if self._pool is None:
            self._pool = super().get_connection_with_tls_context(*given, **more)
        return self._pool

    def init_poolmanager(self, *given: Any, **more: Any) -> None:  # noqa: ANN401
        """Make the pools of direct connections."""
        super().init_poolmanager(*given, **more)
        self.poolmanager.pool_classes_by_scheme = _POOLS

    def proxy_manager_for(self, *given: Any, **more: Any) -> ProxyManager:  # noqa: ANN401
        """Return the pools of connections through a proxy."""
        manager: ProxyManager = super().proxy_manager_for(*given, **more)
        manager.pool_classes_by_scheme = _POOLS
        return manager
