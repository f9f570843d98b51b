"""The bench, and one running service for the tests of templates."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from benches import (
    anyio_backend,
    bench,
    bench_on_postgresql,
    bench_on_sqlite,
    stores_on_postgresql,
    stores_on_sqlite,
)
from running_service import RunningService, run_service
from whatsapp import WhatsApp, run_whatsapp

__all__ = [
    "anyio_backend",
    "bench",
    "bench_on_postgresql",
    "bench_on_sqlite",
    "stores_on_postgresql",
    "stores_on_sqlite",
]


@pytest.fixture(scope="session")
def template_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A running service for all tests that name their templates themselves."""
    folder = tmp_path_factory.mktemp("templates")
    with run_service(f"sqlite:///{folder}/dovecote.db", folder) as running:
        yield running


@pytest.fixture
def whatsapp(database_url: str, tmp_path: Path) -> Iterator[WhatsApp]:
    """A service whose WhatsApp goes to the fake of the Cloud API, on each database."""
    with run_whatsapp(database_url, tmp_path) as running:
        yield running


@pytest.fixture(scope="session")
def whatsapp_on_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WhatsApp]:
    """The same for all tests that have numbers of their own and leave the clock alone."""
    folder = tmp_path_factory.mktemp("whatsapp")
    with run_whatsapp(f"sqlite:///{folder}/dovecote.db", folder) as running:
        yield running
