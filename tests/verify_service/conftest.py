"""Fixtures: a fake upstream, and the service in front of it on SQLite, or on each database."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_upstream import FakeUpstream, run_upstream
from running_verify import Browser, RunningVerify, run_verify, settings_for


@pytest.fixture
def upstream() -> Iterator[FakeUpstream]:
    with run_upstream() as running:
        yield running


@pytest.fixture
def database(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/verify.db"


@pytest.fixture(params=["sqlite", "postgresql"])
def each_database(request: pytest.FixtureRequest, database: str) -> str:
    """The address of an empty store; a test that asks for it runs on SQLite and on PostgreSQL."""
    return database if request.param == "sqlite" else request.getfixturevalue("postgresql_url")


@pytest.fixture
def service(upstream: FakeUpstream, database: str) -> Iterator[RunningVerify]:
    with run_verify(settings_for(upstream.url, database)) as running:
        yield running


@pytest.fixture
def service_on_each(upstream: FakeUpstream, each_database: str) -> Iterator[RunningVerify]:
    with run_verify(settings_for(upstream.url, each_database)) as running:
        yield running


@pytest.fixture
def browser(service: RunningVerify) -> Browser:
    return service.browser()
