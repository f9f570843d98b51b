"""Begins and ends transactions."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Connection


@contextmanager
def transaction(connection: Connection) -> Iterator[None]:
    """Begin a transaction, and commit it when the block ends; when the block raises nothing of it stays."""
    with connection.begin():
        if connection.dialect.name == "sqlite":
            # Writers queue here: one that reads first would fail at its first write if another came between.
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        yield
