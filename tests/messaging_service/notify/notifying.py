"""What the tests of notifications are told with: messages that move, a clock, a receiver on a real socket."""

import asyncio
import contextlib
import ipaddress
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random

from interface.results import Result
from messaging_service.message import Content, Message, Move
from messaging_service.notify import outbox
from messaging_service.notify.books import Books
from messaging_service.notify.network import GuardedNetwork, any_address
from messaging_service.notify.notifier import Notifier
from messaging_service.notify.post import Poster
from messaging_service.notify.receivers import Limits
from messaging_service.notify.retries import Rules
from messaging_service.store import callbacks

NOON = 1_767_268_800_000  # 2026-01-01T12:00:00Z

CONTENT = Content(
    id="content",
    request_id="request",
    key_id=1,
    account_id=1,
    wallet_id=1,
    subid="default",
    currency="czk",
    calling_code="420",
    date="2026-01-01",
    tags="promotional",
    body="Hello",
    sender="Dovecote",
    callback="http://receiver.test/callbacks",
    payload=None,
    flow=None,
    delivery_time=None,
)
MESSAGE = Message(
    id=1,
    message_id="message-0",
    content=CONTENT,
    recipient="+420 777 123 456",
    phone_number="420777123456",
    state=Result.SENDING,
    queue=2,
    due_at=None,
    in_doubt=False,
    flow_index=0,
    flow_history=None,
    short_text=None,
    expires_at=None,
    code=None,
    reason=None,
    mcc=230,
    mnc=3,
    parts=2,
    price_czk=1_500_000,
    price_eur=62_000,
    charged=1_500_000,
    ts_sent=None,
    ts_delivered=None,
    ts_seen=None,
    ts_clicked=None,
    ts_replied=None,
    ts_optout=None,
    ts_updated=None,
)


def content(**changes):
    return replace(CONTENT, **changes)


def move(state=Result.SENT, **changes):
    """A message that goes from ``sending`` to ``state``."""
    before = MESSAGE._replace(**changes)
    return Move(before, before._replace(state=state))


def moves_to(url, count=1, state=Result.SENT, key_id=1):
    shared = content(callback=url, key_id=key_id)
    return [move(state, content=shared, message_id=f"message-{index}") for index in range(count)]


class MovableClock:
    def __init__(self, now=NOON):
        self._now = now

    def now(self):
        return self._now

    def advance(self, seconds):
        self._now += round(seconds * 1000)


@dataclass
class Call:
    path: str
    headers: dict
    body: bytes

    @property
    def events(self):
        return json.loads(self.body)


@dataclass
class Receiver:
    """Answers with what ``answer`` returns: a status, or a status and headers; it may also wait or break off."""

    url: str = ""
    answer: Callable = lambda _call: 200
    calls: list[Call] = field(default_factory=list)

    @property
    def message_ids(self):
        return [event["message_id"] for call in self.calls for event in call.events]


@contextlib.contextmanager
def receiving(answer=lambda _call: 200, tls=None):
    receiver = Receiver(answer=answer)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            call = Call(self.path, dict(self.headers), body)
            receiver.calls.append(call)
            status, headers = answer if isinstance(answer := receiver.answer(call), tuple) else (answer, {})
            with contextlib.suppress(OSError):
                self.send_response(status)
                for name, value in {"Content-Length": "0", **headers}.items():
                    self.send_header(name, value)
                self.end_headers()

        def log_message(self, *_args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.handle_error = lambda *_args: None  # callers that break off are part of the story
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    receiver.url = f"http{'' if tls is None else 's'}://receiver.test:{server.server_port}/callbacks"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield receiver
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


async def on_this_machine(_host):
    return [ipaddress.ip_address("127.0.0.1")]


def poster(timeout=5.0, permit=any_address, resolve=on_this_machine, tls=None):
    return Poster(GuardedNetwork(permit, resolve), timeout, tls)


@dataclass
class Outbox:
    """A store with a key, and the notifiers that work on it."""

    store: object
    clock: MovableClock

    def write(self, moves):
        with self.store.writing() as connection:
            return outbox.write(connection, moves, self.clock.now())

    def pending(self):
        with self.store.reading() as connection:
            return callbacks.earliest_of_each(connection) != {}

    def failed(self, key_id=1):
        with self.store.reading() as connection:
            return callbacks.failed(connection, key_id)

    def claim(self, room, lease_seconds=60):
        now = self.clock.now()
        with self.store.writing() as connection:
            return callbacks.claim(connection, room, now, now + lease_seconds * 1000)

    def notifier(self, post=None, attempts=5, limits=None):
        books = Books(self.store, self.clock, Rules(attempts), Random(1))
        return Notifier(books, self.clock, post or poster(), limits or Limits(), Random(1))

    @contextlib.asynccontextmanager
    async def notifying(self, post=None, attempts=5, limits=None):
        notifier = self.notifier(post, attempts, limits)
        running = asyncio.create_task(notifier.run())
        try:
            yield notifier
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)


async def eventually(condition):
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110 - what is waited for happens in a thread or in the store
            await asyncio.sleep(0.005)
