"""A small verification API for tests: keeps its codes where a test can read them, and misbehaves when told to.

Run as a program it is a process of its own, on a port that it prints, misbehaving from the start.
"""

import json
import secrets
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "the-key-for-the-upstream-0001"
PROOF = "f00d" * 16


@dataclass
class Validation:
    phone_number: str
    code: str
    attempts: int = 0
    is_verified: bool = False


@dataclass
class Call:
    path: str
    headers: dict[str, str]
    body: Any


@dataclass
class FakeUpstream:
    """``url`` is its root; ``calls`` all that it was asked; ``misbehave`` answers in its place while it is set."""

    url: str = ""
    connections: int = 0
    closed: int = 0
    key: str = KEY
    life: timedelta = timedelta(minutes=10)
    clock_ahead: timedelta = timedelta()
    calls: list[Call] = field(default_factory=list)
    validations: dict[str, Validation] = field(default_factory=dict)
    misbehave: Callable[[BaseHTTPRequestHandler], None] | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _answers: dict[str, Any] = field(default_factory=dict)

    def code_for(self, phone_number: str, newest: int = 0) -> str:
        """Return a code that was sent to a number: the newest, or one before it."""
        codes = [each.code for each in self.validations.values() if each.phone_number == phone_number]
        return codes[-1 - newest]

    def wrong_code_for(self, phone_number: str) -> str:
        sent = {each.code for each in self.validations.values() if each.phone_number == phone_number}
        return next(code for code in ("111111", "222222", "333333", "444444", "555555") if code not in sent)

    def expire_all(self) -> None:
        self.life = timedelta(seconds=-1)

    def sent_messages(self) -> int:
        return len(self.validations)

    def answer(self, call: Call) -> tuple[int, dict[str, Any], dict[str, str]]:
        with self._lock:
            self.calls.append(call)
            if call.headers.get("x-api-key") != self.key:
                return 401, {"error": "INVALID_API_KEY", "message": "no"}, {}
            parts = call.path.strip("/").split("/")
            return self._start(call) if len(parts) == 2 else self._verify(parts[2], call.body["code"])

    def _start(self, call: Call) -> tuple[int, dict[str, Any], dict[str, str]]:
        idempotency_key = call.headers.get("idempotency-key", "")
        if idempotency_key in self._answers:
            return 200, self._answers[idempotency_key], {}
        token = secrets.token_urlsafe(32)
        self.validations[token] = Validation(call.body["phoneNumber"], f"{secrets.randbelow(10**6):06d}")
        now = datetime.now(UTC) + self.clock_ahead
        answer = {"token": token, "status": "pending", "expiresAt": _iso(now + self.life), "timestamp": _iso(now)}
        answer["proof"] = PROOF
        if idempotency_key:
            self._answers[idempotency_key] = answer
        return 200, answer, {}

    def _verify(self, token: str, code: str) -> tuple[int, dict[str, Any], dict[str, str]]:
        validation = self.validations.get(token)
        if validation is None:
            return 404, {"error": "NOT_FOUND", "message": "no"}, {}
        if validation.is_verified:
            return 400, {"error": "ALREADY_VERIFIED", "message": "no"}, {}
        if self.life < timedelta():
            return 400, {"error": "EXPIRED", "message": "no"}, {}
        if validation.attempts >= 6:
            return 429, {"error": "TOO_MANY_ATTEMPTS", "message": "no"}, {"Retry-After": "321"}
        validation.attempts += 1
        if code != validation.code:
            left = 6 - validation.attempts
            return 400, {"error": "INVALID_CODE", "message": "no", "attemptsRemaining": left}, {}
        validation.is_verified = True
        now = _iso(datetime.now(UTC))
        answer = {"verified": True, "phoneNumber": validation.phone_number, "token": token, "code": code}
        return 200, answer | {"timestamp": now, "verifiedAt": now, "proof": PROOF}, {}


@contextmanager
def run_upstream() -> Iterator[FakeUpstream]:
    """Serve a fake upstream from a thread."""
    upstream = FakeUpstream()
    server = _server(upstream)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield upstream
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _server(upstream: FakeUpstream) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # else each answer waits 40 ms for the other side's acknowledgement
        timeout = 5

        def setup(self) -> None:
            upstream.connections += 1
            super().setup()

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"null")
            headers = {name.lower(): value for name, value in self.headers.items()}
            if upstream.misbehave is not None:
                upstream.calls.append(Call(self.path, headers, body))
                return upstream.misbehave(self)
            return send_json(self, *upstream.answer(Call(self.path, headers, body)))

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

        def shutdown_request(self, request: Any) -> None:
            super().shutdown_request(request)
            upstream.closed += 1

        def handle_error(self, *_: object) -> None:
            pass

    server = Server(("127.0.0.1", 0), Handler)
    upstream.url = f"http://127.0.0.1:{server.server_port}"
    return server


def send(handler: BaseHTTPRequestHandler, status: int, content: bytes, **headers: str) -> None:
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content)


def send_json(handler: BaseHTTPRequestHandler, status: int, body: Any, headers: dict[str, str]) -> None:
    send(handler, status, json.dumps(body).encode(), Content_Type="application/json", **headers)


def slowly(handler: BaseHTTPRequestHandler) -> None:
    time.sleep(30)
    send_json(handler, 200, {}, {})


def hangs_up_afterwards(upstream: FakeUpstream) -> Callable[[BaseHTTPRequestHandler], None]:
    """Answer as usual, and close the connection without having said so."""

    def answer(handler: BaseHTTPRequestHandler) -> None:
        send_json(handler, *upstream.answer(upstream.calls.pop()))
        handler.close_connection = True

    return answer


def drop_by_drop(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "4000")
    handler.end_headers()
    for _ in range(300):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.1)


def garbage(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"\x00\xff\x17 this is not HTTP\r\n\r\n")
    handler.close_connection = True


def html(handler: BaseHTTPRequestHandler) -> None:
    send(handler, 200, b"<html><h1>Welcome to the hotel's network</h1>", Content_Type="text/html")


def closes_early(handler: BaseHTTPRequestHandler) -> None:
    handler.connection.shutdown(socket.SHUT_RDWR)
    handler.close_connection = True


def closes_in_the_body(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "4000")
    handler.end_headers()
    handler.wfile.write(b'{"verified": true')
    closes_early(handler)


def redirects(handler: BaseHTTPRequestHandler) -> None:
    send(handler, 307, b"", Location="http://127.0.0.1:9/elsewhere")


def huge(handler: BaseHTTPRequestHandler) -> None:
    send(handler, 200, b" " * 1_000_000, Content_Type="application/json")


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


if __name__ == "__main__":
    misbehaving = FakeUpstream(misbehave=globals()[sys.argv[1]])
    started = _server(misbehaving)
    print(started.server_port, flush=True)  # noqa: T201
    started.serve_forever()
