"""Opens the store: SQLite on one machine, PostgreSQL behind many processes, the same code above both."""

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry

from messaging_service.store.turns import Turns

BUSY_TIMEOUT_MS = 30_000


@dataclass(frozen=True, slots=True)
class Claim:
    """Rows read to decide about them, and the transaction that writes the decision."""

    reading: Connection
    writing: Callable[[], AbstractContextManager[Connection]]


class Store(Protocol):
    """Hands out connections."""

    engine: Engine
    is_sqlite: bool

    def reading(self) -> AbstractContextManager[Connection]:
        """Open a connection for questions. Nothing that is written through it stays."""
        ...

    def writing(self) -> AbstractContextManager[Connection]:
        """Open a transaction. When the block ends it is on disk; when the block raises nothing of it is."""
        ...

    def claiming(self) -> AbstractContextManager[Claim]:
        """Read rows, decide without holding up other writers, then write. The rows are nobody else's meanwhile."""
        ...

    def close(self) -> None:
        """Close all connections."""
        ...


class SqliteStore:
    """A file. It has one writer at a time, and one process that claims: its worker."""

    is_sqlite = True

    def __init__(self, engine: Engine, turns: Turns) -> None:
        self.engine = engine
        self._turns = turns
        self._claims = threading.Lock()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a connection for questions."""
        with self.engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a transaction, in turn."""
        with self._turns.turn(), self.engine.connect() as connection:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            yield connection
            connection.commit()

    @contextmanager
    def claiming(self) -> Iterator[Claim]:
        """Keep other claims of this process out, but no writers: the transaction is as short as its statements."""
        with self._claims, self.reading() as connection:
            yield Claim(connection, self.writing)

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()
        self._turns.close()


class PostgresqlStore:
    """A server. Writers wait for each other only at the same rows."""

    is_sqlite = False

    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a connection for questions."""
        with self.engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a transaction."""
        with self.engine.begin() as connection:
            yield connection

    @contextmanager
    def claiming(self) -> Iterator[Claim]:
        """Hold the claimed rows by locks of the transaction that writes them."""
        with self.engine.connect() as connection:

            @contextmanager
            def writing() -> Iterator[Connection]:
                yield connection
                connection.commit()

            yield Claim(connection, writing)

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


def open_store(url: str) -> Store:
    """Open the store at a URL (``sqlite:///path`` or ``postgresql://…``), making a new SQLite file and its folder.

    Raises ValueError, in a sentence, for a store of another kind.
    """
    backend = make_url(url).get_backend_name()
    if backend == "sqlite":
        return _open_sqlite(url)
    if backend in {"postgresql", "postgres"}:
        return _open_postgresql(url)
    raise ValueError(
        f"DOVECOTE_DATABASE (--database): a store in {backend} isn't possible; "
        "name sqlite:///path or postgresql://user:password@host/name."
    )


def journal_url(url: str) -> str:
    """Return where the journal of a SQLite store is: beside it."""
    path = Path(make_url(url).database or "")
    return make_url(url).set(database=str(path.with_name(f"{path.stem}-accepted.db"))).render_as_string()


def _open_sqlite(url: str) -> SqliteStore:
    database = make_url(url).database
    if not database or database == ":memory:":
        raise ValueError("DOVECOTE_DATABASE: a store in memory would lose what was accepted; name a file.")
    path = Path(database)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not path.exists():  # what SQLite makes beside the file is as private as the file
        path.touch(mode=0o600)
    engine = create_engine(
        url,
        pool_size=16,
        hide_parameters=True,  # errors are logged, and parameters are texts and numbers
        connect_args={"timeout": BUSY_TIMEOUT_MS / 1000, "check_same_thread": False, "isolation_level": None},
    )
    event.listen(engine, "connect", _prepare_sqlite_connection)
    return SqliteStore(engine, Turns(path.with_suffix(f"{path.suffix}-turns")))


def _prepare_sqlite_connection(connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = FULL")  # a 200 means: on disk
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.execute("PRAGMA cache_size = -8192")
    cursor.close()


def _open_postgresql(url: str) -> PostgresqlStore:
    return PostgresqlStore(
        create_engine(
            make_url(url).set(drivername="postgresql+psycopg"),
            pool_size=16,
            pool_pre_ping=True,
            hide_parameters=True,
            connect_args={"options": "-c synchronous_commit=on -c timezone=UTC"},
        ),
    )
