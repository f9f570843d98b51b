"""The running service with a folder for uploads, on each database, and the bench."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from benches import (
    bench,
    bench_on_postgresql,
    bench_on_sqlite,
    stores_on_postgresql,
    stores_on_sqlite,
)
from running_service import RunningService, run_service

__all__ = ["bench", "bench_on_postgresql", "bench_on_sqlite", "stores_on_postgresql", "stores_on_sqlite"]

SMALL = {"bulk_limit": 100_000, "bulk_unpacked_limit": 1_000_000, "identical_limit": 0}
"""Without the limit of identical messages: the tests of several files share a number and a text."""


@pytest.fixture
def service(store_url: str, tmp_path: Path) -> Iterator[RunningService]:
    """The running service on an empty store."""
    with run_service(store_url, tmp_path, bulk_folder=tmp_path / "uploads") as running:
        yield running


@pytest.fixture
def own_service(tmp_path: Path) -> Iterator[RunningService]:
    """A running service on SQLite for a test that moves its clock or counts its credit."""
    with run_service(f"sqlite:///{tmp_path}/dovecote.db", tmp_path) as running:
        yield running


@pytest.fixture(scope="session")
def bulk_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """One running service for all tests that bring their own ``bulk_id``: files of at most 100 kB."""
    folder = tmp_path_factory.mktemp("bulk")
    with run_service(f"sqlite:///{folder}/dovecote.db", folder, **SMALL) as running:
        yield running
