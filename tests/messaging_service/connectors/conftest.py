"""Fixtures of the connectors' tests: a service whose platform is a shipped fake."""

from pathlib import Path

import pytest
from platforms import connect, platform
from running_service import run_service
from serving_in_threads import serving

from messaging_service.connectors.kit import platform_http

EXAMPLES = Path(__file__).parents[3] / "examples" / "segments"


@pytest.fixture(autouse=True)
def without_pauses(monkeypatch):
    """Repeat at once what failed in passing."""
    monkeypatch.setattr(platform_http, "PAUSE_SECONDS", 0.001)


@pytest.fixture
def klaviyo():
    """The platform, as it was never asked anything."""
    return platform()


@pytest.fixture
def connected(database_url, tmp_path, klaviyo):
    """A service with both connectors, whose first account is connected to the platform as `shop`."""
    with (
        serving(klaviyo.application()) as address,
        run_service(
            database_url, tmp_path, klaviyo_url=address, demo_segments=EXAMPLES, connector_limit=250
        ) as service,
    ):
        connect(service)
        yield service


@pytest.fixture(scope="module")
def shared_platform():
    return platform()


@pytest.fixture(scope="module")
def on_sqlite(tmp_path_factory, shared_platform):
    """The same on SQLite, for all tests to which the database makes no difference."""
    folder = tmp_path_factory.mktemp("connected")
    with (
        serving(shared_platform.application()) as address,
        run_service(
            f"sqlite:///{folder}/dovecote.db", folder, klaviyo_url=address, demo_segments=EXAMPLES, connector_limit=250
        ) as service,
    ):
        connect(service)
        yield service
