"""Fixtures of the bench: a store for the whole run on each database, emptied for each test."""

import uuid
from collections.abc import Iterator

import pytest
from bench import Bench, empty
from sqlalchemy import create_engine, text
from sqlalchemy.engine import URL

from messaging_service.channels.simulated import log
from messaging_service.store.engine import Store, open_store
from messaging_service.store.migrate import migrate

Stores = tuple[Store, Store]


def _open(url: str, operator_url: str) -> Stores:
    store, records = open_store(url), open_store(operator_url)
    migrate(store)
    log.create(records)
    return store, records


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def stores_on_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    folder = tmp_path_factory.mktemp("bench")
    stores = _open(f"sqlite:///{folder}/dovecote.db", f"sqlite:///{folder}/operator.db")
    yield stores
    for store in stores:
        store.close()


@pytest.fixture(scope="session")
def stores_on_postgresql(postgresql_server: URL) -> Iterator[Stores]:
    name = f"bench_{uuid.uuid4().hex}"
    admin = create_engine(postgresql_server, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    admin.dispose()
    url = postgresql_server.set(database=name).render_as_string(hide_password=False)
    stores = _open(url, url)
    yield stores
    for store in stores:
        store.close()


@pytest.fixture(params=["sqlite", "postgresql"])
def bench(request: pytest.FixtureRequest) -> Bench:
    """All steps; a test that asks for it runs on SQLite and on PostgreSQL."""
    return _bench(request.getfixturevalue(f"stores_on_{request.param}"))


@pytest.fixture
def bench_on_sqlite(stores_on_sqlite: Stores) -> Bench:
    """All steps, where the database makes no difference."""
    return _bench(stores_on_sqlite)


@pytest.fixture
def bench_on_postgresql(stores_on_postgresql: Stores) -> Bench:
    """All steps, for what several workers do at the same time."""
    return _bench(stores_on_postgresql)


def _bench(stores: Stores) -> Bench:
    empty(*stores)
    return Bench(*stores)
