"""The ledger's schema, version by version; applied when the ledger is opened."""

from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text

from flows.problems import LedgerProblem

HERE = Path(__file__).parent
VERSION_TABLE = "ledger_version"
POSTGRESQL_SCHEMA = "ledger"
CURRENT = "0005"
"""The version that this code works with. Known here so that opening a current ledger need not load Alembic."""


def bring_up_to_date(engine: Engine) -> None:
    """Apply the versions that are missing, in one transaction; raises `LedgerProblem` for a version not known here."""
    with engine.connect().execution_options(read_only=True) as connection:
        version = _version(connection)
    if version == CURRENT:
        return
    if version is not None and not list((HERE / "versions").glob(f"{version}_*.py")):
        raise LedgerProblem(
            f"The ledger has schema {version}, newer than this program's {CURRENT}; use a newer program."
        )
    _apply(engine)


def _version(connection: Connection) -> str | None:
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    version = connection.scalar(text(f"SELECT version_num FROM {VERSION_TABLE}"))  # noqa: S608  (a constant)
    return str(version) if version is not None else None


def _apply(engine: Engine) -> None:
    # A quarter of a second, needed only when a version is missing.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(HERE).replace("%", "%%"))
    with engine.begin() as connection:
        if connection.dialect.name == "postgresql":
            connection.exec_driver_sql("SELECT pg_advisory_xact_lock(hashtext('dovecote ledger'))")
            connection.exec_driver_sql(f"CREATE SCHEMA IF NOT EXISTS {POSTGRESQL_SCHEMA}")
        config.attributes["connection"] = connection
        command.upgrade(config, CURRENT)
