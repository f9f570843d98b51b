"""Tells every process that a key has changed, so that none goes by what it remembers of it.

On one machine, with SQLite, eight bytes that all processes share, looked at on every call; with PostgreSQL, its own
notifications.
"""

import asyncio
import mmap
import os
import secrets
from pathlib import Path
from typing import Protocol

import psycopg
import structlog
from sqlalchemy import func, select
from sqlalchemy.exc import OperationalError

from messaging_service.store.engine import Store

_CHANNEL = "dovecote_keys"
_ANSWERS = "dovecote_keys_heard_"
_NAME = "dovecote keys"
_LISTENERS = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = %s"
_ANSWERED_WITHIN_SECONDS = 1.0
_SIZE = 8
_CONNECT_AGAIN_AFTER_SECONDS = 1.0

log = structlog.get_logger(__name__)


class KeyChanges(Protocol):
    """The changes of keys, as one process announces and hears them."""

    def announce(self) -> None:
        """Say that a key has changed. After the change is on disk; not in the event loop."""
        ...

    def latest(self) -> bytes | int:
        """Return what differs from before once a change was announced anywhere."""
        ...

    async def run(self) -> None:
        """Listen until cancelled."""
        ...


class SharedBytes:
    """Announcements of the processes of one machine: a file beside the store that all of them have in memory."""

    def __init__(self, path: Path) -> None:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            if os.fstat(descriptor).st_size < _SIZE:
                os.ftruncate(descriptor, _SIZE)
            self._shared = mmap.mmap(descriptor, _SIZE)
        finally:
            os.close(descriptor)

    def announce(self) -> None:
        """Write other bytes: chance, not a count, of which two who count at once might lose one."""
        self._shared[:] = os.urandom(_SIZE)

    def latest(self) -> bytes:
        """Return the bytes as they are now."""
        return self._shared[:]

    async def run(self) -> None:
        """Wait: there is nothing to listen to."""
        await asyncio.Event().wait()


class Notifications:
    """Announcements over PostgreSQL, heard while ``run`` does, and answered by whoever hears them."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._url = store.engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
        self._heard = 0

    def announce(self) -> None:
        """Notify all processes that listen, and wait until they have heard it."""
        self._heard += 1
        try:
            self._tell_others(secrets.token_hex(8))
        except psycopg.OperationalError:
            log.warning("keys.not-announced")

    def _tell_others(self, token: str) -> None:
        with psycopg.connect(self._url, autocommit=True) as connection:
            connection.execute(f"LISTEN {_ANSWERS}{token}")
            listeners = connection.execute(_LISTENERS, [_NAME]).fetchone()
            connection.execute("SELECT pg_notify(%s, %s)", [_CHANNEL, token])
            if listeners is not None and listeners[0]:
                # One that was cut off doesn't answer; it reads keys anew within two seconds anyway.
                list(connection.notifies(timeout=_ANSWERED_WITHIN_SECONDS, stop_after=listeners[0]))

    def latest(self) -> int:
        """Return how many announcements were heard."""
        return self._heard

    async def run(self) -> None:
        """Listen until cancelled. While there is no connection, what is remembered is soon read anew anyway."""
        while True:
            try:
                await self._listen()
            except (psycopg.OperationalError, OperationalError):
                log.warning("keys.not-listening")
                await asyncio.sleep(_CONNECT_AGAIN_AFTER_SECONDS)

    async def _listen(self) -> None:
        opening = psycopg.AsyncConnection.connect(self._url, autocommit=True, application_name=_NAME)
        async with await opening as connection:
            await connection.execute(f"LISTEN {_CHANNEL}")
            self._heard += 1  # one may have been missed
            async for announcement in connection.notifies():
                self._heard += 1
                await asyncio.to_thread(self._answer, announcement.payload)

    def _answer(self, token: str) -> None:
        with self._store.writing() as connection:
            connection.execute(select(func.pg_notify(_ANSWERS + token, "")))


def open_key_changes(store: Store) -> KeyChanges:
    """Return the announcements of a store's keys."""
    if not store.is_sqlite:
        return Notifications(store)
    path = Path(store.engine.url.database or "")
    return SharedBytes(path.with_suffix(f"{path.suffix}-keys"))
