"""Queries about idempotency keys and the answers kept under them."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, delete, select, update
from sqlalchemy.dialects import postgresql, sqlite

from messaging_service.clock import Milliseconds
from messaging_service.store.tables import idempotency_keys as table

# Built once: building them anew would cost a call more than running them.
_ADD = {
    "sqlite": sqlite.insert(table).on_conflict_do_nothing().returning(table.c.key_id),
    "postgresql": postgresql.insert(table).on_conflict_do_nothing().returning(table.c.key_id),
}


def add(connection: Connection, row: Mapping[str, Any]) -> bool:
    """Write a key and its answer. Returns whether the key was free."""
    # Not rowcount: PostgreSQL's driver doesn't tell it of an insert.
    return connection.execute(_ADD[connection.dialect.name], row).first() is not None


def replace_expired(connection: Connection, row: Mapping[str, Any], before: Milliseconds) -> bool:
    """Write over a key whose answer was written before ``before``. Returns whether there was one."""
    question = update(table).where(
        table.c.key_id == row["key_id"],
        table.c.idempotency_key == row["idempotency_key"],
        table.c.created_at < before,
    )
    return connection.execute(question.values(row)).rowcount == 1


def find(connection: Connection, key_id: int, idempotency_key: str) -> tuple[str, str]:
    """Return the digest of the call and its answer."""
    question = select(table.c.digest, table.c.response).where(
        table.c.key_id == key_id,
        table.c.idempotency_key == idempotency_key,
    )
    digest, response = connection.execute(question).one()
    return digest, response


def holds(connection: Connection, key_id: int, idempotency_key: str, since: Milliseconds) -> bool:
    """Tell whether there is an answer under the key that was written at ``since`` or later."""
    question = select(table.c.key_id).where(
        table.c.key_id == key_id,
        table.c.idempotency_key == idempotency_key,
        table.c.created_at >= since,
    )
    return connection.execute(question).first() is not None


def remove(connection: Connection, key_id: int, idempotency_key: str) -> None:
    """Leave a key free again."""
    connection.execute(delete(table).where(table.c.key_id == key_id, table.c.idempotency_key == idempotency_key))


def forget(connection: Connection, before: Milliseconds) -> int:
    """Delete keys whose answers were written before ``before``. Returns how many."""
    return connection.execute(delete(table).where(table.c.created_at < before)).rowcount
