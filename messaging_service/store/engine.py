"""Opens the store: SQLite on one machine, PostgreSQL behind many processes, the same code above both."""

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry

BUSY_TIMEOUT_MS = 30_000


class Store:
    """Hands out connections for reading and for writing.

    On SQLite the threads of this process take turns at a lock of their own, since a writer that waits in SQLite polls;
    ``busy_timeout`` is left to keep other processes apart. On PostgreSQL writers don't wait for each other.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.is_sqlite = engine.dialect.name == "sqlite"
        self._turn: AbstractContextManager[object] = threading.Lock() if self.is_sqlite else nullcontext()

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a connection for questions. Nothing that is written through it stays."""
        with self.engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Open a transaction. When the block ends it is on disk; when the block raises nothing of it is."""
        with self._turn, self.engine.connect() as connection:
            if self.is_sqlite:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            yield connection
            connection.commit()

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


def open_store(url: str) -> Store:
    """Open the store at a database URL (``sqlite:///path`` or ``postgresql://…``), making the folder of a new SQLite file."""
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite":
        return Store(_sqlite(url))
    return Store(_postgresql(url))


def _sqlite(url: str) -> Engine:
    database = make_url(url).database
    if not database or database == ":memory:":
        raise ValueError("DOVECOTE_DATABASE: a store in memory would lose what was accepted; name a file.")
    Path(database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(
        url,
        pool_size=16,
        connect_args={"timeout": BUSY_TIMEOUT_MS / 1000, "check_same_thread": False, "isolation_level": None},
    )
    event.listen(engine, "connect", _prepare_sqlite_connection)
    return engine


def _prepare_sqlite_connection(connection: DBAPIConnection, _entry: ConnectionPoolEntry) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = FULL")  # a 200 means: on disk
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.execute("PRAGMA cache_size = -65536")
    cursor.close()


def _postgresql(url: str) -> Engine:
    return create_engine(
        make_url(url).set(drivername="postgresql+psycopg"),
        pool_size=16,
        pool_pre_ping=True,
        connect_args={"options": "-c synchronous_commit=on -c timezone=UTC"},
    )
