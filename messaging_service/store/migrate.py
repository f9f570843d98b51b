"""Brings the store's schema up to date at start, or refuses one that a newer Dovecote wrote."""

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, inspect, text

from messaging_service.store.engine import Store

if TYPE_CHECKING:
    from alembic.config import Config

_VERSION_TABLE = "schema_version"
_MIGRATIONS = Path(__file__).with_name("migrations")
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
    with store.engine.connect() as connection:
        if is_current(connection):
            return
        # Loaded only where there is something to migrate: it takes 12 MB of each process.
        from alembic import command

        config = alembic_config()
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
    version = _version(connection)
    known = {path.name.partition("_")[0] for path in _MIGRATIONS.glob("versions/[0-9]*.py")}
    if version is not None and version not in known:
        raise NewerSchema(version)
    return version == max(known)


def _version(connection: Connection) -> str | None:
    if not inspect(connection).has_table(_VERSION_TABLE):
        return None
    version: str | None = connection.execute(text(f"SELECT version_num FROM {_VERSION_TABLE}")).scalar()  # noqa: S608
    return version


def alembic_config() -> "Config":
    """Return where the migrations are."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    return config
