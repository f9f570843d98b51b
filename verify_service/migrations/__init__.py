"""The store's schema, version by version; applied when the store is opened, or refused when it is newer."""

from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text

from verify_service.transactions import transaction

HERE = Path(__file__).parent
VERSION_TABLE = "verify_version"
CURRENT = "0001"
"""The version that this code works with. Known here so that opening a current store needs no Alembic."""


class NewerSchema(Exception):  # noqa: N818
    """The store was written by a newer version of Dovecote."""

    def __init__(self, version: str) -> None:
        super().__init__(f"The sessions' store has schema {version}, newer than {CURRENT}; start the newer Dovecote.")


def bring_up_to_date(engine: Engine) -> None:
    """Apply the versions that are missing, in one transaction. Raises NewerSchema."""
    with engine.connect() as connection:
        if not is_current(connection):
            connection.rollback()
            _apply(connection)


def is_current(connection: Connection) -> bool:
    """Whether the schema is the one that this version works with. Raises NewerSchema."""
    if not inspect(connection).has_table(VERSION_TABLE):
        return False
    version = connection.scalar(text(f"SELECT version_num FROM {VERSION_TABLE}"))  # noqa: S608 - a constant
    if version is not None and not list((HERE / "versions").glob(f"{version}_*.py")):
        raise NewerSchema(version)
    return bool(version == CURRENT)


def _apply(connection: Connection) -> None:
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(HERE).replace("%", "%%"))
    with transaction(connection):
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql("SELECT pg_advisory_xact_lock(hashtext('dovecote verify'))")
        config.attributes["connection"] = connection
        command.upgrade(config, CURRENT)
