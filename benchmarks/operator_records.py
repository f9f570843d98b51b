"""What the simulated operator has taken, by its own records. Moments are Unix seconds."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any


def taken(records: Path) -> int:
    """Count the messages that the operator has."""
    return int(_one(records, "SELECT count(*) FROM operator_taken")[0])


def taken_at(records: Path, message_id: str) -> float:
    """Return when the operator took a message, 0 before it does."""
    row = _one(records, "SELECT max(taken_at) FROM operator_taken WHERE message_id = ?", message_id)
    return (row[0] or 0) / 1000


def last_taken_at(records: Path) -> float:
    """Return when the operator took the last of its messages, 0 before the first."""
    return (_one(records, "SELECT max(taken_at) FROM operator_taken")[0] or 0) / 1000


def _one(records: Path, query: str, *given: str) -> Any:  # noqa: ANN401 - a row of SQLite
    with closing(sqlite3.connect(f"file:{records}?mode=ro", uri=True)) as connection:
        return connection.execute(query, given).fetchone()
