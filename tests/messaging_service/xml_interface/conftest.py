"""Fixtures of the tests of the XML interface."""

import pytest


@pytest.fixture
def api(service_on_sqlite):
    return service_on_sqlite.api
