"""The bench, and a running service on SQLite, for the tests of this folder."""

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

__all__ = [
    "anyio_backend",
    "bench",
    "bench_on_postgresql",
    "bench_on_sqlite",
    "stores_on_postgresql",
    "stores_on_sqlite",
]


@pytest.fixture
def own_service(tmp_path: Path) -> Iterator[RunningService]:
    """A running service on an empty SQLite store."""
    with run_service(f"sqlite:///{tmp_path}/dovecote.db", tmp_path) as running:
        yield running
