"""A ledger on each of its databases with a clock that the test moves; a real Prefect server; a provider."""

import gc
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from copied_databases import Prepared
from prefect_program import PrefectProgram
from provider_program import ProviderProgram, provider_program
from service_program import service_program

from flows.blocks import MessagingAccount
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


@pytest.fixture(scope="session")
def prepared_ledger(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    return Prepared(lambda address: open_ledger(address).close(), tmp_path_factory.mktemp("ledger"))


@pytest.fixture(params=["sqlite", "postgresql"])
def ledger_address(request: pytest.FixtureRequest, prepared_ledger: Prepared, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield prepared_ledger.on_sqlite(tmp_path / "ledger.sqlite3")
        return
    with prepared_ledger.on_postgresql(request.getfixturevalue("postgresql_server")) as address:
        yield address


@pytest.fixture
def ledger(ledger_address: str, clock: Clock) -> Iterator[Ledger]:
    opened = open_ledger(ledger_address, clock)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def prefect_server() -> Iterator[str]:
    """The address of a real Prefect server's API, used by every flow of this process."""
    from prefect.settings import PREFECT_API_URL
    from prefect.testing.utilities import prefect_test_harness

    with prefect_test_harness(server_startup_timeout=100):
        gc.freeze()  # what was loaded so far stays: the collection after each test needn't go through it
        yield PREFECT_API_URL.value()
    collect_sockets_of_prefect()


def collect_sockets_of_prefect() -> None:
    """Prefect leaves sockets to its server for the garbage collector, which warns: here, and not in a later test."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "unclosed <socket", ResourceWarning)
        gc.collect()


@pytest.fixture
def prefect(prefect_server: str) -> Iterator[str]:
    """A real Prefect server for this test; mark the test with `SOCKETS_OF_PREFECT`."""
    yield prefect_server
    collect_sockets_of_prefect()


@pytest.fixture
def own_prefect(tmp_path: Path) -> Iterator[PrefectProgram]:
    """A Prefect server for this test alone, as it runs in production; used by every flow of this process."""
    from prefect.settings import PREFECT_API_URL, temporary_settings

    home = tmp_path / "prefect"
    home.mkdir()
    program = PrefectProgram(home)
    program.start()
    with temporary_settings({PREFECT_API_URL: program.api}):
        yield program
    program.kill()
    collect_sockets_of_prefect()


@pytest.fixture
def fake_provider(tmp_path: Path) -> Iterator[ProviderProgram]:
    with provider_program(tmp_path / "provider.jsonl") as program:
        yield program


@pytest.fixture
def service(tmp_path: Path) -> Iterator[str]:
    """The root address of the messaging service itself, in a process of its own."""
    with service_program(tmp_path) as address:
        yield address


@pytest.fixture
def account(prefect: str, fake_provider: ProviderProgram) -> MessagingAccount:  # noqa: ARG001  (where it is saved)
    """The block ``main`` on the Prefect server, for the fake provider."""
    block = MessagingAccount(
        api_key="secret-key",
        messaging_url=f"{fake_provider.address}/v2",
        rest_url=f"{fake_provider.address}/v1",
        appears_within_seconds=0,
    )
    block.save("main", overwrite=True)
    return block
