"""Statements written once for each database and run with many rows as they are, on the hot path."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.sql.elements import ClauseElement


class Prepared:
    """A statement, in two spellings where the databases differ.

    SQLAlchemy looks at every row of every execution; for rows of plain numbers and texts that is most of the cost.
    """

    def __init__(self, sqlite: ClauseElement, postgresql: ClauseElement | None = None) -> None:
        self._spellings = {"sqlite": sqlite, "postgresql": sqlite if postgresql is None else postgresql}
        self._compiled: dict[str, tuple[str, Sequence[str] | None]] = {}

    def run(self, connection: Connection, rows: Iterable[Mapping[str, Any]]) -> int:
        """Run the statement for each row, a mapping of its parameters. Returns how many rows it changed."""
        sql, order = self._compiled.get(connection.dialect.name) or self._compile(connection)
        parameters = list(rows) if order is None else [tuple([row[name] for name in order]) for row in rows]
        return connection.exec_driver_sql(sql, parameters).rowcount if parameters else 0

    def _compile(self, connection: Connection) -> tuple[str, Sequence[str] | None]:
        """Write the statement as the driver takes it, with the order of its parameters where they have no names."""
        dialect = connection.dialect
        compiled = self._spellings[dialect.name].compile(dialect=dialect)
        order: Sequence[str] | None = getattr(compiled, "positiontup", None)
        entry = self._compiled[dialect.name] = (str(compiled), order)
        return entry
