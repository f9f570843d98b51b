"""Opens the sessions' store: SQLite by default, PostgreSQL by address, several processes on either."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.engine import URL

from verify_service.migrations import bring_up_to_date, is_current
from verify_service.transactions import transaction

LOCK_SECONDS = 30
CONNECT_SECONDS = 5
"""How long PostgreSQL has to take a connection; the driver's own patience is over two minutes."""

Clock = Callable[[], float]
"""Tells the Unix time in seconds."""


@dataclass(frozen=True, slots=True)
class Store:
    """An open store. On SQLite a crash of the machine may undo the last changes, never what was ``settling``."""

    engine: Engine
    durable: Engine
    statements: Engine
    """Commits each statement by itself."""

    @contextmanager
    def at_once(self) -> Iterator[Connection]:
        """Open a connection for questions, and for changes of one statement each; they outlive this process."""
        with self.statements.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a transaction that outlives this process: sessions, guesses, allowances."""
        with self.engine.connect() as connection, transaction(connection):
            yield connection

    @contextmanager
    def settling(self) -> Iterator[Connection]:
        """Open a transaction that is on disk when the block ends: what must never happen twice."""
        with self.durable.connect() as connection, transaction(connection):
            yield connection

    def is_ready(self) -> bool:
        """Whether the store can be reached and has the schema that this version works with."""
        with self.at_once() as connection:
            return is_current(connection)

    def close(self) -> None:
        """Give the connections back."""
        self.engine.dispose()
        self.durable.dispose()


def open_store(address: str) -> Store:
    """Open the store and bring its schema up to date. Raises NewerSchema, ValueError."""
    url = make_url(address)
    store = _sqlite(url) if url.get_backend_name() == "sqlite" else _postgresql(url)
    try:
        bring_up_to_date(store.engine)
    except BaseException:
        store.close()
        raise
    return store


def _postgresql(url: URL) -> Store:
    address = url.set(drivername="postgresql+psycopg", query={"connect_timeout": str(CONNECT_SECONDS), **url.query})
    engine = create_engine(address, pool_size=16, pool_pre_ping=True, hide_parameters=True)
    return Store(engine, engine, engine.execution_options(isolation_level="AUTOCOMMIT"))


def _sqlite(url: URL) -> Store:
    if not url.database or url.database == ":memory:":
        raise ValueError("DOVECOTE_VERIFY_DATABASE: processes can't share a store in memory; name a file.")
    file = Path(url.database)
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not file.exists():  # what SQLite makes beside the file is as private as the file
        file.touch(mode=0o600)
    engine = _sqlite_engine(url, "NORMAL")
    return Store(engine, _sqlite_engine(url, "FULL"), engine)


def _sqlite_engine(url: URL, synchronous: Literal["NORMAL", "FULL"]) -> Engine:
    def prepare(connection: sqlite3.Connection, _record: Any) -> None:  # noqa: ANN401 - SQLAlchemy's own type
        _write_ahead(connection)
        connection.execute(f"PRAGMA synchronous={synchronous}")
        connection.execute("PRAGMA foreign_keys=ON")

    # Without a level of isolation the driver begins nothing by itself: ``transaction`` does.
    connect_args = {"timeout": LOCK_SECONDS, "isolation_level": None}
    engine = create_engine(url, pool_size=16, hide_parameters=True, connect_args=connect_args)
    event.listen(engine, "connect", prepare)
    return engine


def _write_ahead(connection: sqlite3.Connection) -> None:
    # A new file is brought into this mode by one connection alone, and SQLite doesn't wait for that by itself.
    ends = time.monotonic() + LOCK_SECONDS
    while connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError:
            if time.monotonic() > ends:
                raise
            time.sleep(0.02)
