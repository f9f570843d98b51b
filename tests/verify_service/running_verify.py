"""The service for tests: the real application behind a real HTTP server, in a thread of this process."""

import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
from fake_upstream import KEY
from werkzeug.serving import WSGIRequestHandler, make_server

from verify_service import create_app
from verify_service.application import TO_CLOSE
from verify_service.settings import Settings

SERVICE_KEY = "the-key-of-the-back-end-0001"
SIGNING_KEY = "the-first-signing-key-0001"
SHOP = "https://shop.example.com"
NUMBER = "420777123456"


class MovableClock:
    """The machine's clock, moved on by a test; seconds."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return time.time() + self.ahead


@dataclass
class RunningVerify:
    """``url`` is its root; ``settings`` and ``clock`` are what it runs with."""

    url: str
    settings: Settings
    clock: MovableClock
    to_close: ExitStack

    def browser(self, **headers: str) -> "Browser":
        return Browser(self._client(headers))

    def back_end(self, key: str = SERVICE_KEY) -> httpx.Client:
        return self._client({"X-API-Key": key})

    def _client(self, headers: dict[str, str]) -> httpx.Client:
        client = httpx.Client(base_url=self.url, timeout=20, headers=headers)
        self.to_close.callback(client.close)
        return client


class Browser:
    """A client that keeps cookies. `httpx` sends Secure cookies to https only, so they are carried by hand."""

    def __init__(self, http: httpx.Client) -> None:
        self.http = http
        self.cookies: dict[str, str] = {}

    def post(self, path: str, body: Any, **headers: str) -> httpx.Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.cookies:
            named["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        answer = self.http.post(path, json=body, headers=named)
        for cookie in answer.headers.get_list("set-cookie"):
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        return answer

    def start(self, number: str = f"+{NUMBER}", **headers: str) -> httpx.Response:
        return self.post("/sessions", {"phoneNumber": number, "purpose": "sign-up"}, **headers)

    def started(self, number: str = f"+{NUMBER}") -> str:
        answer = self.start(number)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["session"])

    def check(self, session: str, code: str, **headers: str) -> httpx.Response:
        return self.post("/sessions/check", {"session": session, "code": code}, **headers)

    def resend(self, session: str) -> httpx.Response:
        return self.post("/sessions/resend", {"session": session})


def settings_for(upstream: str, database: str, **given: Any) -> Settings:
    """Return settings for tests; what is ``given`` goes before."""
    usual: dict[str, Any] = {
        "upstream": upstream,
        "upstream_key": KEY,
        "database": database,
        "signing_keys": SIGNING_KEY,
        "service_keys": SERVICE_KEY,
        "origins": SHOP,
        "upstream_timeout": 15.0,
        "starts_per_client": 0,
        "checks_per_client": 0,
    }
    return Settings(**(usual | given))


@contextmanager
def run_verify(settings: Settings, clock: MovableClock | None = None) -> Iterator[RunningVerify]:
    """Serve the application from threads."""
    clock = clock or MovableClock()

    class Quiet(WSGIRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def log(self, *_: object, **__: object) -> None:
            pass

    server = make_server("127.0.0.1", 0, _not_yet, threaded=True, request_handler=Quiet)
    server.daemon_threads = True
    settings = settings.model_copy(update={"port": server.port})
    server.app = app = create_app(settings, clock)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        with ExitStack() as to_close:
            yield RunningVerify(f"http://127.0.0.1:{server.port}", settings, clock, to_close)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
        app.extensions[TO_CLOSE].close()


def _not_yet(_environ: Any, _start_response: Any) -> Any:
    """Stand in for the application, which has to know the port first."""
    raise AssertionError("the service isn't there yet")
