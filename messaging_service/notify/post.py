"""One attempt to deliver: an HTTP POST, signed, within its time, to an address that is permitted."""

import asyncio
import ssl
from base64 import b64encode
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from importlib.metadata import version
from types import TracebackType
from typing import NamedTuple, Self

import httpcore
import httpx

from interface.signatures import SIGNATURE_HEADER, sign_callback
from messaging_service.notify.delivery import Delivery
from messaging_service.notify.network import GuardedNetwork, RefusedAddressError

TIMEOUT_S = 5.0
"""Seconds from looking up the name to the status line of the answer."""

_USER_AGENT = f"Dovecote/{version('dovecote')}"
_IGNORED_BODY = 16 * 1024  # a longer answer costs its receiver the connection
_IGNORED_BODY_S = 0.5
# Shorter than what servers commonly keep, so that a delivery rarely meets a connection that is just being closed.
_KEEP_ALIVE_S = 3.0
_IDLE_CONNECTIONS = 64


class NotDeliveredError(Exception):
    """An attempt failed; says why in words that tell nothing of addresses or contents."""


class _Target(NamedTuple):
    url: httpcore.URL
    headers: Mapping[bytes | str, bytes | str]


class Poster:
    """Posts deliveries. Enter it before use: it keeps connections to receivers open for a few seconds."""

    def __init__(self, network: GuardedNetwork, timeout: float = TIMEOUT_S, tls: ssl.SSLContext | None = None) -> None:
        self._timeout = timeout
        # The notifier limits what is in flight; a limited pool can lose places to requests that are cancelled.
        self._pool = httpcore.AsyncConnectionPool(
            ssl_context=tls,
            max_connections=None,
            max_keepalive_connections=_IDLE_CONNECTIONS,
            keepalive_expiry=_KEEP_ALIVE_S,
            network_backend=network,
        )

    async def __aenter__(self) -> Self:
        """Open for deliveries."""
        return self

    async def __aexit__(
        self,
        _kind: type[BaseException] | None,
        _problem: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        """Close the connections."""
        await self._pool.aclose()

    async def __call__(self, delivery: Delivery) -> None:
        """Deliver, or raise NotDeliveredError. Redirects aren't followed and are failures, like all but 2xx."""
        try:
            status = await self._status(_target(delivery.url), delivery)
        except TimeoutError:
            raise NotDeliveredError(f"no answer within {self._timeout:g} s") from None
        except RefusedAddressError:
            raise NotDeliveredError("the address is in a private network") from None
        except (httpcore.NetworkError, httpcore.ProtocolError, httpcore.TimeoutException) as problem:
            raise NotDeliveredError(_reason(problem)) from None
        if not httpx.codes.is_success(status):
            raise NotDeliveredError(f"answered with status {status}")

    async def _status(self, target: _Target, delivery: Delivery) -> int:
        async with asyncio.timeout(self._timeout) as limit:
            answering = self._pool.stream(
                "POST",
                target.url,
                headers={**target.headers, **_headers(delivery)},
                content=delivery.body,
                extensions={"timeout": {"connect": self._timeout}},
            )
            async with answering as response:
                limit.reschedule(None)
                await _drain(response)
                return response.status


def _headers(delivery: Delivery) -> Mapping[bytes | str, bytes | str]:
    headers: dict[bytes | str, bytes | str] = {
        "Content-Type": "application/json",
        "User-Agent": _USER_AGENT,
        "X-Request-Id": delivery.delivery_id,
    }
    if delivery.secret:
        headers[SIGNATURE_HEADER] = sign_callback(delivery.body, delivery.secret)
    return headers


async def _drain(response: httpcore.Response) -> None:
    """Read a short body away, so that the connection can be used again."""
    read = 0
    with suppress(TimeoutError, httpcore.NetworkError, httpcore.ProtocolError):
        async with asyncio.timeout(_IGNORED_BODY_S):
            async for part in response.aiter_stream():
                read += len(part)
                if read > _IGNORED_BODY:
                    return


@lru_cache(maxsize=256)
def _target(text: str) -> _Target:
    try:
        url = httpx.URL(text)
    except httpx.InvalidURL:
        raise NotDeliveredError("the address isn't a URL") from None
    if url.scheme not in {"http", "https"} or not url.host:
        raise NotDeliveredError("the address isn't an http or https URL")
    address = httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
    headers: dict[bytes | str, bytes | str] = {"Host": url.netloc}  # no port where it is the scheme's own
    if url.userinfo:
        headers["Authorization"] = b"Basic " + b64encode(f"{url.username}:{url.password}".encode())
    return _Target(address, headers)


def _reason(problem: Exception) -> str:
    if isinstance(problem.__cause__ or problem.__context__, ssl.SSLError):
        return "the TLS handshake failed"
    if isinstance(problem, httpcore.ConnectError | httpcore.ConnectTimeout):
        return "no connection"
    if isinstance(problem, httpcore.NetworkError):
        return "the connection broke"
    return "the answer isn't HTTP"
