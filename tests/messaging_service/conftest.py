"""Fixtures shared by the tests of the messaging service: a store on each database, and the running service."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from copied_databases import Prepared
from running_service import RunningService, run_service

from messaging_service.store.engine import journal_url, open_store
from messaging_service.store.migrate import migrate


@pytest.fixture(autouse=True)
def on_one_date(within_an_hour: None) -> None:
    """Let no test run over midnight: many ask for what was sent today."""


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database; a test that asks for it runs on SQLite and on PostgreSQL."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/dovecote.db"
    return request.getfixturevalue("postgresql_url")


@pytest.fixture(scope="session")
def prepared_store(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    return Prepared(_migrated, tmp_path_factory.mktemp("store"))


def _migrated(address: str) -> None:
    """Make a store and, where it has one, its journal: the application makes a new one otherwise."""
    with closing(open_store(address)) as store:
        migrate(store)
        if not store.is_sqlite:
            return
    with closing(open_store(journal_url(address))) as journal:
        migrate(journal)


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, prepared_store: Prepared, tmp_path: Path) -> Iterator[str]:
    """The address of a store without an account; a test that asks for it runs on SQLite and on PostgreSQL."""
    if request.param == "sqlite":
        yield prepared_store.on_sqlite(tmp_path / "dovecote.db")
        return
    with prepared_store.on_postgresql(request.getfixturevalue("postgresql_server")) as address:
        yield address


@pytest.fixture
def service(store_url: str, tmp_path: Path) -> Iterator[RunningService]:
    """The running service on an empty store, with a first account of 1000 CZK."""
    with run_service(store_url, tmp_path) as running:
        yield running


@pytest.fixture(scope="session")
def service_on_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """One running service for all tests to which neither the database nor what others wrote makes a difference."""
    folder = tmp_path_factory.mktemp("shared")
    with run_service(f"sqlite:///{folder}/dovecote.db", folder) as running:
        yield running
