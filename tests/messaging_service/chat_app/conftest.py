"""The bench, and one running service for the tests of templates."""

from collections.abc import Iterator

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
