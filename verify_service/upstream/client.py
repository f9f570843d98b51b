"""Asks the verification API."""

import json
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.cookiejar import DefaultCookiePolicy
from urllib.parse import quote

import requests
from requests.utils import get_environ_proxies
from urllib3.exceptions import HTTPError, ProtocolError, ReadTimeoutError

from interface.verification import ValidationStarted, ValidationVerified
from verify_service import measures
from verify_service.settings import Settings
from verify_service.upstream.answers import check_status, content_of, life_of, moment, read
from verify_service.upstream.connections import Connections
from verify_service.upstream.errors import ConnectionRefused, Failed, NoAnswer, meaning


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
            started = read(ValidationStarted, status, content)
            return Sent(started.token, life_of(started))

    def verify(self, guess: Guess) -> str:
        """Return the moment (ISO 8601) at which the right code was given. Raises UpstreamError."""
        with measures.upstream("verify"):
            path = f"/v1/validations/{quote(guess.token, safe='')}/verify"
            status, content = self._ask(path, {"code": guess.code}, {})
            verified = read(ValidationVerified, status, content)
            about = Guess(verified.token, verified.phone_number, verified.code)
            if verified.verified is not True or about != guess:
                raise Failed("a success that is about something else")
            return moment(verified.verified_at).isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _ask(self, path: str, body: Mapping[str, str], headers: Mapping[str, str]) -> tuple[int, bytes]:
        """Ask, and once more when the connection was refused. Raises UpstreamError."""
        try:
            return self._ask_once(path, body, headers)
        except ConnectionRefused:
            return self._ask_once(path, body, headers)

    def _ask_once(self, path: str, body: Mapping[str, str], headers: Mapping[str, str]) -> tuple[int, bytes]:
        ends = time.monotonic() + self._settings.upstream_timeout
        call = self._prepare(path, body, headers)
        try:
            with self._http.send(
                call, timeout=self._timeout, allow_redirects=False, stream=True, proxies=self._http.proxies
            ) as response:
                content = content_of(response, ends)
                check_status(response, content)
                return response.status_code, content
        # Not chained: the libraries' sentences hold the path, and with it the token.
        except (ProtocolError, ReadTimeoutError):
            raise NoAnswer from None
        except requests.RequestException as error:
            raise meaning(error) from None
        except HTTPError as error:
            raise Failed(type(error).__name__) from None

    def _prepare(self, path: str, body: Mapping[str, str], headers: Mapping[str, str]) -> requests.PreparedRequest:
        call = self._call.copy()
        content = json.dumps(body).encode()
        call.url, call.body = self._base + path, content
        call.headers.update({"Content-Length": str(len(content)), **headers})
        return call
