"""A ledger on each of its databases, with a clock that the test moves."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from flows.ledger import Ledger, open_ledger


class Clock:
    """Unix seconds, standing still until moved."""

    def __init__(self) -> None:
        self.seconds = 1_800_000_000.0

    def __call__(self) -> float:
        return self.seconds

    def move(self, seconds: float) -> None:
        self.seconds += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=["sqlite", "postgresql"])
def ledger_address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgresql":
        return request.getfixturevalue("postgresql_url")
    return f"sqlite:///{tmp_path / 'ledger.sqlite3'}"


@pytest.fixture
def ledger(ledger_address: str, clock: Clock) -> Iterator[Ledger]:
    opened = open_ledger(ledger_address, clock)
    yield opened
    opened.close()
