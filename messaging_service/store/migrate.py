"""Brings the store's schema up to date at start, or refuses one that a newer Dovecote wrote."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from messaging_service.store.engine import Store

_VERSION_TABLE = "schema_version"
_LOCK = 0x0D07EC07E
"""The advisory lock under which one of several starting processes prepares a PostgreSQL store."""


class NewerSchema(Exception):  # noqa: N818
    """The store was written by a newer version of Dovecote."""

    def __init__(self, version: str) -> None:
        super().__init__(
            f"The store's schema ({version}) is newer than this Dovecote knows; start the newer version instead."
        )


def migrate(store: Store) -> None:
    """Apply the migrations that the store lacks. Raises NewerSchema."""
    config = alembic_config()
    with store.engine.connect() as connection:
        if is_current(connection):
            return
        if store.is_sqlite:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        else:
            wait_for_others_to_start(connection)
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        connection.commit()


def wait_for_others_to_start(connection: Connection) -> None:
    """Let one starting process on, until its transaction ends. A SQLite store has one writer at a time anyway."""
    if connection.dialect.name != "sqlite":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})


def is_current(connection: Connection) -> bool:
    """Whether the schema is the one that this version works with. Raises NewerSchema."""
    scripts = ScriptDirectory.from_config(alembic_config())
    version = MigrationContext.configure(connection, opts={"version_table": _VERSION_TABLE}).get_current_revision()
    known = {script.revision for script in scripts.walk_revisions()}
    if version is not None and version not in known:
        raise NewerSchema(version)
    return version == scripts.get_current_head()


def alembic_config() -> Config:
    """Return where the migrations are."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")).replace("%", "%%"))
    return config
