"""The key by which the flows of a machine call its service."""

import pytest

from deployments.account_key import kept_key
from messaging_service.accounts.keys import digest
from messaging_service.accounts.opening import Opening, open_account
from messaging_service.store import keys
from messaging_service.store.engine import open_store
from messaging_service.store.migrate import migrate


@pytest.fixture
def database(tmp_path):
    return f"sqlite:///{tmp_path / 'dovecote.db'}"


def test_a_new_store_gets_a_new_key_in_a_file_of_its_owner_s(tmp_path, database):
    file = tmp_path / "flows.key"

    key = kept_key(file, database)

    assert len(key) == 64
    assert file.read_text() == f"{key}\n"
    assert file.stat().st_mode & 0o777 == 0o600


def test_the_key_stays_the_same(tmp_path, database):
    first = kept_key(tmp_path / "flows.key", database)

    again = kept_key(tmp_path / "flows.key", database, "another that somebody set meanwhile")

    assert again == first


def test_the_key_that_is_set_for_the_first_account_is_taken(tmp_path, database):
    key = kept_key(tmp_path / "flows.key", database, "a key that was set by its owner")

    assert key == "a key that was set by its owner"


def test_a_store_in_use_gives_a_sub_account_of_its_first_account(tmp_path, database):
    store = open_store(database)
    migrate(store)
    with store.writing() as connection:
        open_account(connection, Opening("First account", "czk", 0, "420", "Dovecote"), "the first key", 0)

    key = kept_key(tmp_path / "flows.key", database)

    with store.reading() as connection:
        found = keys.find(connection, digest(key))
    store.close()
    assert (found["subid"], found["account"]) == ("flows", "First account")
