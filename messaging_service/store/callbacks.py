"""Queries about the outbox: write deliveries, claim what is due, record what became of it, list and replay failures."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, insert

from messaging_service.store.tables import callbacks


def add(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write deliveries."""
    if rows:
        connection.execute(insert(callbacks), rows)
