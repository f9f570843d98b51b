"""Statements written once for each database and run with many rows as they are, on the hot path."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.engine import Dialect
from sqlalchemy.sql import Executable
from sqlalchemy.sql.elements import ClauseElement


class Prepared:
    """A statement for each database, with the order in which it takes its parameters.

    SQLAlchemy looks at every row of every execution; for rows of plain numbers and texts that is most of the cost.
    """

    def __init__(self, sqlite: Executable, postgresql: Executable | None = None) -> None:
        self._sqlite = sqlite
        self._postgresql = sqlite if postgresql is None else postgresql

    def run(self, connection: Connection, rows: Iterable[Mapping[str, Any]]) -> int:
        """Run the statement for each row, a mapping of its parameters. Returns how many rows it changed."""
        sql, names = self._on_sqlite if connection.dialect.name == "sqlite" else self._on_postgresql
        parameters = [tuple([row[name] for name in names]) for row in rows]
        return connection.exec_driver_sql(sql, parameters).rowcount if parameters else 0

    @cached_property
    def _on_sqlite(self) -> tuple[str, Sequence[str]]:
        return _compiled(self._sqlite, SQLiteDialect_pysqlite(paramstyle="qmark"))

    @cached_property
    def _on_postgresql(self) -> tuple[str, Sequence[str]]:
        return _compiled(self._postgresql, PGDialect_psycopg(paramstyle="format"))


def _compiled(statement: Executable, dialect: Dialect) -> tuple[str, Sequence[str]]:
    if not isinstance(statement, ClauseElement):
        raise TypeError("only statements of SQLAlchemy can be prepared")
    compiled = statement.compile(dialect=dialect)
    names = getattr(compiled, "positiontup", None)
    return str(compiled), names or ()
