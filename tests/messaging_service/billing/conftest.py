"""Fixtures of the billing tests: services that issue invoices."""

import pytest
from accounting import ISSUER
from running_service import run_service


@pytest.fixture
def billed(database_url, tmp_path):
    """A service that issues invoices, with a first account of 1000 CZK."""
    with run_service(database_url, tmp_path, issuer=ISSUER) as service:
        yield service


@pytest.fixture(scope="module")
def billed_on_sqlite(tmp_path_factory):
    """The same on SQLite, for all tests to which neither the database nor what others wrote makes a difference."""
    folder = tmp_path_factory.mktemp("billed")
    with run_service(f"sqlite:///{folder}/dovecote.db", folder, issuer=ISSUER) as service:
        yield service
