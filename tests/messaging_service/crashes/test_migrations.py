"""The schema that migrations make is the one that the tables say, whoever starts first."""

import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from subprocess import run
from threading import Barrier, BrokenBarrierError

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import select, text

from messaging_service.clock import SystemClock
from messaging_service.running.serve import open_service_store
from messaging_service.settings import Settings
from messaging_service.store import keys as key_queries
from messaging_service.store.engine import open_store
from messaging_service.store.migrate import NewerSchema, migrate
from messaging_service.store.tables import accounts, billed_wallets, billing_records, keys, metadata, wallets

OPENS = """
import sys
from messaging_service.clock import SystemClock
from messaging_service.running.serve import open_service_store
from messaging_service.settings import Settings

started = open_service_store(Settings(database=sys.argv[1]), SystemClock())
print(started.new_key or "")
"""


def test_migrations_make_the_tables(database_url):
    with closing(open_store(database_url)) as store:
        migrate(store)

        with store.engine.connect() as connection:
            context = MigrationContext.configure(connection, opts={"version_table": "schema_version"})
            differences = compare_metadata(context, metadata)

    assert differences == []


def test_migrating_again_changes_nothing(database_url):
    with closing(open_store(database_url)) as store:
        migrate(store)

        migrate(store)


def test_a_newer_schema_is_refused(database_url):
    with closing(open_store(database_url)) as store:
        migrate(store)
        with store.writing() as connection:
            connection.execute(text("UPDATE schema_version SET version_num = 'from-the-future'"))

        with pytest.raises(NewerSchema, match=r"from-the-future.*newer"):
            migrate(store)


def test_only_the_first_of_two_that_look_at_once_opens_the_account(database_url, monkeypatch):
    settings = Settings(database=database_url)
    _open(settings).close()
    with closing(open_store(database_url)) as store, store.writing() as connection:
        for table in (billed_wallets, billing_records, keys, wallets, accounts):
            connection.execute(table.delete())
    both_look, any_exist = Barrier(2), key_queries.any_exist

    def look_together(connection):
        found = any_exist(connection)
        with suppress(BrokenBarrierError):  # one of them has to wait
            both_look.wait(0.5)
        return found

    monkeypatch.setattr(key_queries, "any_exist", look_together)
    with ThreadPoolExecutor(2) as starting:
        stores = list(starting.map(_open, [settings, settings]))

    with stores[0].reading() as connection:
        assert len(connection.execute(select(accounts.c.id)).all()) == 1
    for store in stores:
        store.close()


def _open(settings):
    return open_service_store(settings, SystemClock()).store


def test_two_processes_may_start_at_once_on_an_empty_store(database_url, monkeypatch):
    monkeypatch.delenv("DOVECOTE_API_KEY", raising=False)

    printed = _start_at_once(database_url)

    with closing(open_store(database_url)) as store, store.reading() as connection:
        opened = connection.execute(select(accounts.c.id)).all()
    assert len(opened) == 1
    assert sorted(len(key) for key in printed) == [0, 0, 64]


def test_processes_that_start_at_once_agree_on_a_given_key(database_url, monkeypatch):
    monkeypatch.setenv("DOVECOTE_API_KEY", "the-key-that-the-settings-give")

    printed = _start_at_once(database_url)

    with closing(open_store(database_url)) as store, store.reading() as connection:
        opened = connection.execute(select(accounts.c.id)).all()
    assert len(opened) == 1
    assert printed == ["", "", ""]


def _start_at_once(database_url):
    def start(_number):
        ended = run([sys.executable, "-c", OPENS, database_url], capture_output=True, text=True, check=False)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout.strip()

    with ThreadPoolExecutor(3) as starting:
        return list(starting.map(start, range(3)))
