"""Requests to the Cloud API: the token goes to the one address that is set, and redirects aren't followed."""

from importlib.metadata import version
from typing import Any, Final

import httpx

from messaging_service.channels.chat_app.cloud_replies import Reply
from messaging_service.channels.chat_app.cloud_settings import CloudAccess

TIMEOUT_SECONDS: Final = 20.0
CONNECT_SECONDS: Final = 5.0
CONNECTIONS: Final = 40
"""How many requests are made at once."""
_NOTHING_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError)


class NotSent(Exception):  # noqa: N818 - what happened
    """No connection came about: the platform has heard of nothing."""


class NoReply(Exception):  # noqa: N818 - what happened
    """A request was sent, and no reply came: the platform may have done it."""


class CloudHttp:
    """A pool of connections to the platform."""

    def __init__(self, access: CloudAccess) -> None:
        self._url = access.url
        self._http = httpx.AsyncClient(
            headers={"Authorization": f"Bearer {access.token}", "User-Agent": f"Dovecote/{version('dovecote')}"},
            timeout=httpx.Timeout(TIMEOUT_SECONDS, connect=CONNECT_SECONDS),
            # Its users limit themselves; a limited pool can lose places to requests that are cancelled.
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=CONNECTIONS),
        )

    async def request(self, method: str, path: str, *, json: Any = None, query: Any = None) -> Reply:  # noqa: ANN401
        """Make a request below the platform's address. Raises NotSent, NoReply."""
        try:
            response = await self._http.request(method, f"{self._url}/{path}", json=json, params=query)
        except _NOTHING_SENT as problem:
            raise NotSent(type(problem).__name__) from None
        except httpx.HTTPError as problem:
            raise NoReply(type(problem).__name__) from None
        return Reply(response.status_code, response.content, response.headers.get("retry-after"))

    async def close(self) -> None:
        """Close the connections."""
        await self._http.aclose()
