"""GETs JSON from a platform within limits: time, size, patience; no redirects, never another address."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from email.utils import parsedate_to_datetime
from functools import cached_property
from importlib.metadata import version
from time import time
from typing import Any, Final

import httpx
import orjson
import structlog

from messaging_service.connectors.kit.connector import CredentialsRefused
from messaging_service.refusals import PlatformBusy, PlatformFailed

_TIMEOUT_SECONDS: Final = 10.0
_LARGEST_ANSWER: Final = 8 * 1024 * 1024
_ATTEMPTS: Final = 4
PAUSE_SECONDS: Final = 0.3
"""Before the first repeat of a request that failed; doubled before each further one."""
_LONGEST_RETRY_AFTER: Final = 86_400

log = structlog.get_logger(__name__)

Json = dict[str, Any]
Parameters = Mapping[str, str]


class NotThere(Exception):  # noqa: N818 - an answer
    """The platform has nothing at this address (404)."""


class PlatformHttp:
    """Speaks to the platform at one address. Requests leave it only to that address, and carry what a caller gives."""

    def __init__(self, name: str, address: str) -> None:
        self._name = name
        self._address = httpx.URL(address)

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return httpx.create_ssl_context()

    @asynccontextmanager
    async def session(self, headers: Mapping[str, str]) -> AsyncIterator["Session"]:
        """Open connections for the requests of one user."""
        given = {"User-Agent": f"Dovecote/{version('dovecote')}", "Accept": "application/json", **headers}
        async with httpx.AsyncClient(headers=given, timeout=_TIMEOUT_SECONDS, verify=self._tls) as http:
            yield Session(self._name, self._address, http)


class Session:
    """The requests of one user."""

    def __init__(self, name: str, address: httpx.URL, http: httpx.AsyncClient) -> None:
        self._name = name
        self._address = address
        self._http = http

    async def get(self, path: str, parameters: Parameters | None = None, *, patience: float) -> Json:
        """Return the JSON object at a path, or at a whole URL of the same address.

        Repeats what failed in passing, and waits at most ``patience`` seconds for a platform that asks for it. Raises
        CredentialsRefused, NotThere, PlatformBusy, PlatformFailed.
        """
        url = self._url(path)
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                return await self._try(url, parameters)
            except PlatformBusy as busy:
                if busy.retry_after > patience or attempt == _ATTEMPTS:
                    raise
                patience -= busy.retry_after
                await asyncio.sleep(busy.retry_after)
            except _Passing as problem:
                log.warning("connector.request-failed", connector=self._name, reason=str(problem))
                if attempt == _ATTEMPTS:
                    break
                await asyncio.sleep(PAUSE_SECONDS * 2 ** (attempt - 1))
        raise PlatformFailed(self._name)

    def _url(self, path: str) -> httpx.URL:
        url = self._address.join(path)
        if (url.scheme, url.host, url.port) != (self._address.scheme, self._address.host, self._address.port):
            log.warning("connector.led-elsewhere", connector=self._name)
            raise PlatformFailed(self._name)
        return url

    async def _try(self, url: httpx.URL, parameters: Parameters | None) -> Json:
        try:
            async with self._http.stream("GET", url, params=parameters) as response:
                self._check(response)
                return _object(await _read(response))
        except httpx.HTTPError as problem:
            raise _Passing(type(problem).__name__) from None

    def _check(self, response: httpx.Response) -> None:
        status = response.status_code
        if status in {httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN}:
            raise CredentialsRefused(f"{self._name} refuses the credentials of this app_userid.")
        if status == httpx.codes.NOT_FOUND:
            raise NotThere
        if status == httpx.codes.TOO_MANY_REQUESTS:
            raise PlatformBusy(self._name, _seconds(response.headers.get("retry-after", "")))
        if status >= httpx.codes.INTERNAL_SERVER_ERROR:
            raise _Passing(f"status {status}")
        if status != httpx.codes.OK:
            log.warning("connector.unexpected-answer", connector=self._name, status=status)
            raise PlatformFailed(self._name)


class _Passing(Exception):  # noqa: N818 - may be gone the next time
    """A request failed in a way that may pass; says how, without address or contents."""


async def _read(response: httpx.Response) -> bytes:
    content = bytearray()
    async for piece in response.aiter_bytes():
        content += piece
        if len(content) > _LARGEST_ANSWER:
            raise _Passing("the answer is too large")
    return bytes(content)


def _object(content: bytes) -> Json:
    try:
        value = orjson.loads(content)
    except orjson.JSONDecodeError:
        value = None
    if not isinstance(value, dict):
        raise _Passing("the answer isn't a JSON object")
    return value


def _seconds(retry_after: str) -> float:
    """Return what a ``Retry-After`` asks for, a second when it can't be read."""
    if retry_after.isascii() and retry_after.isdigit():
        return float(min(int(retry_after[:9]), _LONGEST_RETRY_AFTER))
    try:
        return min(max(parsedate_to_datetime(retry_after).timestamp() - time(), 0.0), _LONGEST_RETRY_AFTER)
    except (ValueError, OverflowError):
        return 1.0
