"""What the store leaves on the disk, and what it refuses to be."""

import pytest

from messaging_service.store.engine import open_store
from messaging_service.store.migrate import migrate


def modes(folder):
    return {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()}


def test_a_new_store_is_for_its_owner_only(tmp_path):
    folder = tmp_path / "data"
    store = open_store(f"sqlite:///{folder}/dovecote.db")
    migrate(store)
    with store.writing() as connection:
        connection.exec_driver_sql("SELECT 1")

    found = modes(folder)

    store.close()
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {"dovecote.db", "dovecote.db-wal", "dovecote.db-turns"} <= set(found)
    assert set(found.values()) == {0o600}


def test_the_modes_of_a_store_that_is_there_stay(tmp_path):
    tmp_path.chmod(0o750)
    (tmp_path / "dovecote.db").touch(mode=0o640)

    open_store(f"sqlite:///{tmp_path}/dovecote.db").close()

    assert tmp_path.stat().st_mode & 0o777 == 0o750
    assert modes(tmp_path)["dovecote.db"] == 0o640


@pytest.mark.parametrize("url", ["mysql://root@db.example/dovecote", "mssql+pyodbc://db.example/dovecote"])
def test_a_store_of_another_kind_is_refused_in_a_sentence(url):
    with pytest.raises(ValueError, match=r"a store in (mysql|mssql) isn't possible; name sqlite:///path or postgresql"):
        open_store(url)
