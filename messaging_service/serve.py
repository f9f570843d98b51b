"""Starts the service: store, first account, worker's place, HTTP server."""

import fcntl
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from sqlalchemy import make_url

from messaging_service.accounts.keys import new_secret
from messaging_service.accounts.money import parse_money
from messaging_service.accounts.opening import Opening, open_account
from messaging_service.application import Application
from messaging_service.clock import Clock, SystemClock
from messaging_service.operators import SIMULATED_NOTICE
from messaging_service.settings import Role, Settings
from messaging_service.store import keys
from messaging_service.store.engine import Store, open_store
from messaging_service.store.migrate import migrate

SWITCH_SECONDS = 0.0005
"""How long a thread may keep the interpreter: the loop that answers calls and the thread that commits them take turns often."""

Say = Callable[[str], None]


class CannotStart(Exception):  # noqa: N818
    """The service can't start; the message says why in one sentence."""


@dataclass(frozen=True, slots=True)
class Started:
    """An opened store; ``new_key`` is the first account's key, when it was made just now."""

    store: Store
    new_key: str | None


def open_service_store(settings: Settings, clock: Clock) -> Started:
    """Open and migrate the store; give a new one its first account. Raises NewerSchema, ValueError."""
    store = open_store(settings.database)
    migrate(store)
    secret = settings.api_key.get_secret_value() if settings.api_key else new_secret()
    with store.writing() as connection:
        if keys.any_exist(connection):
            return Started(store, None)
        opening = Opening(
            "First account",
            settings.currency,
            parse_money(settings.credit),
            settings.calling_code,
            settings.default_sender,
        )
        open_account(connection, opening, secret, clock.now())
    return Started(store, None if settings.api_key else secret)


def serve(settings: Settings, say: Say) -> None:
    """Run until SIGINT or SIGTERM. Raises CannotStart."""
    with _listening(settings.host, settings.port) as listener, _worker_place(settings):
        started = open_service_store(settings, SystemClock())
        application = Application(settings, started.store, SystemClock())
        host, port = listener.getsockname()[:2]
        _introduce(settings, started, f"http://{host}:{port}", say)
        sys.setswitchinterval(SWITCH_SECONDS)
        config = uvicorn.Config(
            application.asgi,
            loop="uvloop" if sys.platform != "win32" else "auto",
            http="httptools",
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=10,
        )
        uvicorn.Server(config).run([listener])
        started.store.close()


def _introduce(settings: Settings, started: Started, address: str, say: Say) -> None:
    say(f"Dovecote listens on {address} (role {settings.role.value}); API documentation: {address}/docs")
    if started.new_key:
        say(f"A new account was opened. Its key, shown only now: {started.new_key}")
    if settings.role is not Role.API:
        say(SIMULATED_NOTICE)


@contextmanager
def _listening(host: str, port: int) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
        except OSError as error:
            raise CannotStart(f"Can't listen on {host}:{port}: {error.strerror}. Choose another with --port.") from None
        yield listener


@contextmanager
def _worker_place(settings: Settings) -> Iterator[None]:
    """Hold the one place that a SQLite store has for a worker. The place is free again when its process is gone."""
    url = make_url(settings.database)
    if settings.role is Role.API or url.get_backend_name() != "sqlite" or not url.database:
        yield
        return
    path = Path(url.database).with_suffix(".worker")
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as place:
        try:
            fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise CannotStart(
                f"Another process works on {url.database}; a SQLite store has one worker. "
                "Stop it, or start this one with --role api, or use PostgreSQL for more.",
            ) from None
        yield
