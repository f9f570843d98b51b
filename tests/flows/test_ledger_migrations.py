"""The migrations and the tables say the same."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import inspect

from flows.ledger import open_ledger
from flows.ledger.migrations import CURRENT, HERE, VERSION_TABLE
from flows.ledger.tables import metadata


def test_the_migrations_make_exactly_the_tables(ledger):
    with ledger.read() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})

        differences = compare_metadata(context, metadata)

    assert differences == []


def test_the_version_known_to_the_code_is_the_newest_migration():
    config = Config()
    config.set_main_option("script_location", str(HERE))

    assert ScriptDirectory.from_config(config).get_heads() == [CURRENT]


@pytest.fixture(params=["sqlite", "postgresql"])
def empty_database(request, tmp_path):
    return (
        request.getfixturevalue("postgresql_url") if request.param == "postgresql" else f"sqlite:///{tmp_path}/new.db"
    )


def test_processes_that_open_a_new_ledger_at_once_all_succeed(empty_database):
    with ThreadPoolExecutor(3) as pool:
        opened = [pool.submit(open_ledger, empty_database) for _ in range(3)]
        ledgers = [each.result() for each in opened]

    assert all("recipients" in inspect(each.engine).get_table_names() for each in ledgers)
    for each in ledgers:
        each.close()
