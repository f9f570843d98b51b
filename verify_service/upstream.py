"""Talks to the verification API (specification 4.4) and trusts nothing of what comes back.

::

    UpstreamError
    ├── Refused         an error of the API: its code, perhaps attempts left and a time to wait
    ├── Unreachable     no connection came about: nothing was asked
    ├── Failed          5xx, a redirect, or an answer that isn't one of this API
    └── NoAnswer        asked, but the answer was late or broke off: what came of it is unknown

No error holds the key, a token or a code.
"""
# ruff: noqa: N818 - the names say what happened

import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from http.cookiejar import DefaultCookiePolicy
from typing import TypeVar
from urllib.parse import quote

import requests
from pydantic import BaseModel, ValidationError
from requests.exceptions import ChunkedEncodingError
from requests.utils import get_environ_proxies
from urllib3.exceptions import HTTPError, NewConnectionError, ProtocolError, ReadTimeoutError

from interface.verification import ValidationStarted, ValidationVerified, VerificationProblem
from verify_service import measures
from verify_service.connections import Connections
from verify_service.settings import Settings

LARGEST_ANSWER = 64 * 1024
LONGEST_LIFE = timedelta(hours=24)
_CHUNK = 4096

Answer = TypeVar("Answer", bound=BaseModel)


class UpstreamError(Exception):
    """The upstream didn't do what it was asked."""


@dataclass
class Refused(UpstreamError):
    """The API refused: ``error`` is its code, empty where the body isn't one of its errors."""

    status: int
    error: str = ""
    attempts_remaining: int | None = None
    retry_after: int | None = None


class Unreachable(UpstreamError):
    """Nothing was asked."""


@dataclass
class Failed(UpstreamError):
    """The upstream failed, or answered what isn't an answer; ``why`` is for the log."""

    why: str


class NoAnswer(UpstreamError):
    """Asked, and nothing came back."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A code on its way; ``life`` is how many seconds it is good for."""

    token: str = field(repr=False)
    life: float


@dataclass(frozen=True, slots=True)
class Guess:
    """A code for a number that the upstream knows by a token."""

    token: str = field(repr=False)
    phone_number: str = field(repr=False)
    code: str = field(repr=False)


class Upstream:
    """The verification API behind ``settings.upstream``. Safe to use by several threads."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._http = requests.Session()
        # Proxies and authorities of the environment are read once, not for every call; a .netrc never.
        self._http.trust_env = False
        self._http.proxies.update(get_environ_proxies(settings.upstream))
        self._http.verify = os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE") or True
        self._http.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        self._http.headers.update({"Accept": "application/json", "User-Agent": "dovecote-verify"})
        for scheme in ("http://", "https://"):
            self._http.mount(scheme, Connections(settings.threads))
        # What all calls share is put together once: for each anew it would cost more than the rest of the call.
        key = {"X-API-Key": settings.upstream_key.get_secret_value()}
        base = requests.Request("POST", settings.upstream, headers=key, json={})
        self._call = self._http.prepare_request(base)
        self._base = str(self._call.url).rstrip("/")
        self._timeout = (settings.upstream_connect_timeout, settings.upstream_timeout)

    def start(self, phone_number: str, clients_key: str, own_key: str) -> Sent:
        """Have a code sent. ``own_key`` names this start where the client gave no key. Raises UpstreamError."""
        # Ours is for repeating a start, which only an upstream allows that knows it again: any other keeps it in vain.
        key = clients_key or (own_key if self._settings.upstream_idempotent else "")
        headers = {"Idempotency-Key": key} if key else {}
        body = {"phoneNumber": phone_number}
        with measures.upstream("start"):
            try:
                status, content = self._ask("/v1/validations", body, headers)
            except (NoAnswer, Failed):
                if not self._settings.upstream_idempotent:
                    raise
                status, content = self._ask("/v1/validations", body, headers)
            started = _read(ValidationStarted, status, content)
            return Sent(started.token, _life(started))

    def verify(self, guess: Guess) -> str:
        """Return the moment (ISO 8601) at which the right code was given. Raises UpstreamError."""
        with measures.upstream("verify"):
            path = f"/v1/validations/{quote(guess.token, safe='')}/verify"
            status, content = self._ask(path, {"code": guess.code}, {})
            verified = _read(ValidationVerified, status, content)
            about = Guess(verified.token, verified.phone_number, verified.code)
            if verified.verified is not True or about != guess:
                raise Failed("a success that is about something else")
            return _moment(verified.verified_at).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _ask(self, path: str, body: Mapping[str, str], headers: Mapping[str, str]) -> tuple[int, bytes]:
        """Ask, and once more when the connection was refused. Raises UpstreamError."""
        try:
            return self._ask_once(path, body, headers)
        except _ConnectionRefused:
            return self._ask_once(path, body, headers)

    def _ask_once(self, path: str, body: Mapping[str, str], headers: Mapping[str, str]) -> tuple[int, bytes]:
        ends = time.monotonic() + self._settings.upstream_timeout
        call = self._prepare(path, body, headers)
        try:
            with self._http.send(
                call, timeout=self._timeout, allow_redirects=False, stream=True, proxies=self._http.proxies
            ) as response:
                content = _content(response, ends)
                _check_status(response, content)
                return response.status_code, content
        # Not chained: the libraries' sentences hold the path, and with it the token.
        except (ProtocolError, ReadTimeoutError):
            raise NoAnswer from None
        except requests.RequestException as error:
            raise _meaning(error) from None
        except HTTPError as error:
            raise Failed(type(error).__name__) from None

    def _prepare(self, path: str, body: Mapping[str, str], headers: Mapping[str, str]) -> requests.PreparedRequest:
        call = self._call.copy()
        content = json.dumps(body).encode()
        call.url, call.body = self._base + path, content
        call.headers.update({"Content-Length": str(len(content)), **headers})
        return call


class _ConnectionRefused(Unreachable):
    """Nobody listens, perhaps only for a moment."""


def _content(response: requests.Response, ends: float) -> bytes:
    """Read the body; the library's own time-out is for each piece of it, ``ends`` for the whole."""
    content = b""
    while chunk := response.raw.read1(_CHUNK, decode_content=True):
        content += chunk
        if len(content) > LARGEST_ANSWER:
            raise Failed("an answer that is too large")
        if time.monotonic() > ends:
            raise NoAnswer
    return content


def _check_status(response: requests.Response, content: bytes) -> None:
    status = response.status_code
    if status == HTTPStatus.OK:
        return
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status < HTTPStatus.BAD_REQUEST:
        raise Failed(f"status {status}")
    try:
        problem = VerificationProblem.model_validate_json(content, strict=True)
    except ValidationError:
        problem = VerificationProblem(error="")
    wait = response.headers.get("Retry-After", "")
    retry_after = min(int(wait), 86_400) if wait.isascii() and wait.isdigit() else None
    raise Refused(status, problem.error, problem.attempts_remaining, retry_after)


def _read(model: type[Answer], status: int, content: bytes) -> Answer:
    try:
        return model.model_validate_json(content, strict=True)
    except ValidationError:
        raise Failed(f"status {status} without a valid answer") from None


def _life(started: ValidationStarted) -> float:
    """Return how long the code lives, by the upstream's own clock, which may differ from ours."""
    life = _moment(started.expires_at) - _moment(started.timestamp)
    if not started.token or not timedelta() < life <= LONGEST_LIFE:
        raise Failed("a start without a token or a sensible time")
    return life.total_seconds()


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise Failed("a moment that isn't one") from None
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def _meaning(error: requests.RequestException) -> UpstreamError:
    cause = _cause(error)
    if isinstance(cause, NewConnectionError):
        return _ConnectionRefused()
    if isinstance(error, requests.ConnectTimeout):
        return Unreachable()
    if isinstance(error, requests.Timeout | ChunkedEncodingError) or isinstance(cause, ProtocolError):
        return NoAnswer()
    return Unreachable() if isinstance(error, requests.ConnectionError) else Failed(type(error).__name__)


def _cause(error: requests.RequestException) -> object:
    wrapped = error.args[0] if error.args else None
    return getattr(wrapped, "reason", wrapped)
