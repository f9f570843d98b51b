"""Tells every process that a key has changed, so that none goes by what it remembers of it.

On one machine, with SQLite, eight bytes that all processes share, looked at on every call; with PostgreSQL, its own
notifications.
"""

import asyncio
import mmap
import os
from pathlib import Path
from typing import Protocol

import psycopg
import structlog
from sqlalchemy import select
from sqlalchemy.sql import func

from messaging_service.store.engine import Store

_CHANNEL = "dovecote_keys"
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
    """Announcements over PostgreSQL, heard while ``run`` does."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._heard = 0

    def announce(self) -> None:
        """Notify all processes that listen."""
        with self._store.writing() as connection:
            connection.execute(select(func.pg_notify(_CHANNEL, "")))
        self._heard += 1

    def latest(self) -> int:
        """Return how many announcements were heard."""
        return self._heard

    async def run(self) -> None:
        """Listen until cancelled. While there is no connection, what is remembered is soon read anew anyway."""
        while True:
            try:
                await self._listen()
            except psycopg.OperationalError:
                log.warning("keys.not-listening")
                await asyncio.sleep(_CONNECT_AGAIN_AFTER_SECONDS)

    async def _listen(self) -> None:
        url = self._store.engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
        async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
            await connection.execute(f"LISTEN {_CHANNEL}")
            self._heard += 1  # one may have been missed
            async for _ in connection.notifies():
                self._heard += 1


def open_key_changes(store: Store) -> KeyChanges:
    """Return the announcements of a store's keys."""
    if not store.is_sqlite:
        return Notifications(store)
    path = Path(store.engine.url.database or "")
    return SharedBytes(path.with_suffix(f"{path.suffix}-keys"))
