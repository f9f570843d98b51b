"""Starts the service: store, first account, the worker's place, and the processes that share the work."""

import asyncio
import fcntl
import os
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import uvloop
from sqlalchemy import make_url

from messaging_service.accounts.keys import new_secret
from messaging_service.accounts.money import parse_money
from messaging_service.accounts.opening import Opening, open_account
from messaging_service.accounts.prices import read_prices
from messaging_service.application import Application
from messaging_service.billing.issuer import read_issuer
from messaging_service.clock import Clock, SystemClock
from messaging_service.operators import notice
from messaging_service.running import measures
from messaging_service.running.lifeline import Lifeline
from messaging_service.running.listening import CannotStart, Server, listening, reserved
from messaging_service.running.processes import ChildProcess, Work, run_processes
from messaging_service.running.waking import WakeUpCall
from messaging_service.settings import Role, Settings
from messaging_service.store import keys
from messaging_service.store.engine import Store, open_store
from messaging_service.store.migrate import migrate, wait_for_others_to_start
from messaging_service.verification.key import open_codes

SWITCH_SECONDS = 0.0005
"""How long a thread may keep the interpreter, so that the event loop and the threads at the store take turns often."""
WORKER_NICENESS = 10
"""A worker beside the API gives way to it: a call in flight waits for nothing that can wait."""

Say = Callable[[str], None]


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
        wait_for_others_to_start(connection)
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
    """Run until SIGINT or SIGTERM. Raises CannotStart, NewerSchema, ValueError."""
    with reserved(settings.host, settings.port) as (host, port), _worker_place(settings), measures.shared():
        settings = settings.model_copy(update={"port": port})
        new_key = _prepare(settings)
        run_processes(_children(settings), lambda: _introduce(settings, new_key, f"http://{host}:{port}", say))


def _prepare(settings: Settings) -> str | None:
    """Make the stores and find out what can't be. What that loads is shared. Returns a new account's key."""
    _check(settings)
    started = open_service_store(settings, SystemClock())
    with closing(started.store), closing(Application(settings, started.store, SystemClock())):
        return started.new_key


def _check(settings: Settings) -> None:
    """Refuse what can't be used before a new store gets an account, whose key would then be lost. Raises ValueError."""
    open_codes(settings)
    read_prices(settings.prices)
    read_issuer(settings.issuer)


def _children(settings: Settings) -> list[ChildProcess]:
    if settings.role is Role.WORKER:
        return [ChildProcess("worker", partial(_answering, settings, None))]
    wake_up_call = WakeUpCall()
    wake = wake_up_call.wake if settings.role is Role.ALL else None
    answering = partial(_answering, settings.model_copy(update={"role": Role.API}), wake)
    children = [ChildProcess(f"api-{number}", answering) for number in range(1, settings.api_processes + 1)]
    if settings.role is Role.ALL:
        children.append(ChildProcess("worker", lambda: nullcontext(partial(_work, settings, wake_up_call))))
    return children


@contextmanager
def _answering(settings: Settings, wake: Callable[[], None] | None) -> Iterator[Work]:
    """Listen before there is a server: whoever comes early waits, and isn't told that nobody is there."""
    with listening(settings.host, settings.port) as listener:
        yield partial(_answer, settings, wake, listener)


def _answer(settings: Settings, wake: Callable[[], None] | None, listener: socket.socket, lifeline: Lifeline) -> None:
    """Answer calls, and do what else the role asks for."""
    sys.setswitchinterval(SWITCH_SECONDS)
    with closing(open_store(settings.database)) as store:
        application = Application(settings, store, SystemClock(), wake)
        Server(application.asgi, lifeline, application.begin_to_stop).run([listener])


def _work(settings: Settings, wake_up_call: WakeUpCall, lifeline: Lifeline) -> None:
    """Process messages beside those that answer calls."""
    os.nice(WORKER_NICENESS)
    sys.setswitchinterval(SWITCH_SECONDS)
    uvloop.run(_work_until_stopped(settings.model_copy(update={"role": Role.WORKER}), wake_up_call, lifeline))


async def _work_until_stopped(settings: Settings, wake_up_call: WakeUpCall, lifeline: Lifeline) -> None:
    with closing(open_store(settings.database)) as store:
        application = Application(settings, store, SystemClock())
        stopped = asyncio.Event()
        lifeline.on_end(stopped.set)
        wake_up_call.on_wake(application.wake)
        async with application.running():
            await stopped.wait()


def _introduce(settings: Settings, new_key: str | None, address: str, say: Say) -> None:
    documentation = "" if settings.role is Role.WORKER else f"; API documentation: {address}/docs"
    say(f"Dovecote listens on {address} (role {settings.role.value}){documentation}")
    if new_key:
        say(f"A new account was opened. Its key, shown only now: {new_key}")
    if settings.role is not Role.API:
        say(notice(settings))
    if settings.phone_served and settings.role is not Role.WORKER:
        say(f"What it delivers is on the virtual phone: {address}/phone")


@contextmanager
def _worker_place(settings: Settings) -> Iterator[None]:
    """Hold the one place that a SQLite store has for a worker, until all that is forked meanwhile is gone, too."""
    url = make_url(settings.database)
    if settings.role is Role.API or url.get_backend_name() != "sqlite" or not url.database:
        yield
        return
    path = Path(f"{url.database}-worker")
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600), "w") as place:
        try:
            fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise CannotStart(
                f"Another process works on {url.database}; a SQLite store has one worker. "
                "Stop it, or start this one with --role api, or use PostgreSQL for more.",
            ) from None
        yield
