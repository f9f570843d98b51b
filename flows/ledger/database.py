"""Where the ledger is kept: SQLite by default, PostgreSQL by address."""

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.engine import URL
from sqlalchemy.exc import ArgumentError

from flows.ledger.migrations import POSTGRESQL_SCHEMA, bring_up_to_date
from flows.problems import LedgerProblem

ADDRESS_VARIABLE = "DOVECOTE_LEDGER"
SECONDS_TO_WAIT_FOR_A_LOCK = 30


class WrongAddress(LedgerProblem):
    """The address can't be used. It isn't told: it may hold a password."""

    def __init__(self) -> None:
        super().__init__("The ledger's address must read sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME.")


@dataclass(frozen=True)
class Ledger:
    """An open ledger: where it is kept, and the clock (Unix seconds) by which leases end."""

    engine: Engine
    now: Callable[[], float] = time.time
    # SQLite has one writer and lets the others poll; in one process a lock wakes the next at once.
    _turn: AbstractContextManager[object] = field(default_factory=nullcontext)

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """One durable transaction; on disk when the block is left."""
        with self._turn, self.engine.begin() as connection:
            yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Give a consistent view that keeps no writer waiting."""
        with self.engine.connect().execution_options(read_only=True) as connection:
            yield connection

    def close(self) -> None:
        """Give the connections back."""
        self.engine.dispose()


def default_address() -> str:
    """``DOVECOTE_LEDGER``, else a file in the user's data directory (XDG)."""
    if address := os.environ.get(ADDRESS_VARIABLE):
        return address
    return f"sqlite:///{default_folder() / 'ledger.sqlite3'}"


def default_folder() -> Path:
    """Where the flows keep files, in the user's data directory (XDG)."""
    data = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(data) / "dovecote"


def check_address(address: str) -> URL:
    """Take an address apart; raises `WrongAddress`."""
    try:
        url = make_url(address)
    except (ArgumentError, ValueError):
        raise WrongAddress from None
    if url.get_backend_name() not in {"sqlite", "postgresql"} or not url.database:
        raise WrongAddress
    return url


def open_ledger(address: str | None = None, now: Callable[[], float] = time.time) -> Ledger:
    """Open the ledger and bring its schema up to date; raises `LedgerProblem` when it is newer than this code."""
    url = check_address(address or default_address())
    is_sqlite = url.get_backend_name() == "sqlite"
    engine = _open_sqlite(url) if is_sqlite else _open_postgresql(url)
    try:
        bring_up_to_date(engine)
    except BaseException:
        engine.dispose()
        raise
    return Ledger(engine, now, threading.Lock() if is_sqlite else nullcontext())


def _open_sqlite(url: URL) -> Engine:
    if url.database and url.database != ":memory:":
        file = Path(url.database)
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not file.exists():  # it holds phone numbers
            file.touch(mode=0o600)
    engine = create_engine(
        url,
        hide_parameters=True,  # errors are logged, and parameters are texts and numbers
        connect_args={"timeout": SECONDS_TO_WAIT_FOR_A_LOCK},
    )
    event.listen(engine, "connect", _configure_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _configure_sqlite(connection: sqlite3.Connection, _record: Any) -> None:  # noqa: ANN401  (SQLAlchemy's own type)
    connection.isolation_level = None  # we begin transactions ourselves, see _begin_sqlite
    _write_ahead(connection)
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA foreign_keys=ON")


def _write_ahead(connection: sqlite3.Connection) -> None:
    # The first change of a new file to this mode needs it alone, and SQLite doesn't wait for that by itself.
    give_up = time.monotonic() + SECONDS_TO_WAIT_FOR_A_LOCK
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError:
            if time.monotonic() > give_up:
                raise
            time.sleep(0.02)
        else:
            return


def _begin_sqlite(connection: Connection) -> None:
    # A transaction that starts by reading and then writes fails at once when another writer came between:
    # writers therefore queue at their beginning.
    read_only = connection.get_execution_options().get("read_only", False)
    connection.exec_driver_sql("BEGIN" if read_only else "BEGIN IMMEDIATE")


def _open_postgresql(url: URL) -> Engine:
    options = f"-csearch_path={POSTGRESQL_SCHEMA}"
    return create_engine(
        url.set(drivername="postgresql+psycopg"),
        pool_pre_ping=True,
        hide_parameters=True,
        connect_args={"options": options},
    )
