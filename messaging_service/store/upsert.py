"""Insert or, where the row exists, do something else: the one statement that both databases spell their own way."""

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import postgresql, sqlite


def upsert(connection: Connection, table: Table) -> sqlite.Insert | postgresql.Insert:
    """Return an insert that offers ``on_conflict_do_update`` and ``on_conflict_do_nothing``."""
    if connection.dialect.name == "sqlite":
        return sqlite.insert(table)
    return postgresql.insert(table)
