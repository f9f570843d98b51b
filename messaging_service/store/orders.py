"""Queries about orders of senders: who has which, what was charged."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, RowMapping, and_, or_, select, update

from messaging_service.clock import Milliseconds
from messaging_service.store.tables import keys
from messaging_service.store.tables import orders as table
from messaging_service.store.upsert import upsert

_ACTIVE = table.c.cancelled_at.is_(None)


def add(connection: Connection, row: Mapping[str, Any]) -> bool:
    """Write an order. Returns whether it stays: a key has a sender once, and a number is one key's."""
    written = upsert(connection, table).values(row).on_conflict_do_nothing().returning(table.c.id)
    return connection.execute(written).first() is not None


def active(connection: Connection, key_id: int, flow: str, value: str) -> RowMapping | None:
    """Return the order by which a key has a sender, None when it hasn't."""
    question = select(table).where(table.c.key_id == key_id, table.c.flow == flow, table.c.value == value, _ACTIVE)
    return connection.execute(question).mappings().one_or_none()


def of_key(connection: Connection, key_id: int, order_id: str) -> RowMapping | None:
    """Return an order of a key, cancelled or not."""
    question = select(table).where(table.c.key_id == key_id, table.c.order_id == order_id)
    return connection.execute(question).mappings().one_or_none()


def cancel(connection: Connection, key_id: int, order_id: str, now: Milliseconds) -> None:
    """End an order of a key; one that has ended stays as it is."""
    mine = (table.c.key_id == key_id, table.c.order_id == order_id, _ACTIVE)
    connection.execute(update(table).where(*mine).values(cancelled_at=now))


def taken(connection: Connection, numbers: Iterable[str]) -> set[str]:
    """Return those of the numbers that somebody has."""
    question = select(table.c.value).where(table.c.service == "number", table.c.value.in_(list(numbers)), _ACTIVE)
    return set(connection.execute(question).scalars())


def holder_of_number(connection: Connection, number: str) -> RowMapping | None:
    """Return the key (``id``, ``account_id``) that has a virtual number."""
    question = (
        select(keys.c.id, keys.c.account_id)
        .join(table, table.c.key_id == keys.c.id)
        .where(table.c.service == "number", table.c.value == number, _ACTIVE)
    )
    return connection.execute(question).mappings().one_or_none()


def holders(connection: Connection, numbers: Iterable[str]) -> dict[str, int]:
    """Return the accounts of those of the numbers that somebody has ordered."""
    question = (
        select(table.c.value, keys.c.account_id)
        .join(keys, keys.c.id == table.c.key_id)
        .where(table.c.service == "number", table.c.value.in_(list(numbers)), _ACTIVE)
    )
    return {row.value: row.account_id for row in connection.execute(question)}


def senders_of(connection: Connection, key_id: int) -> Sequence[RowMapping]:
    """Return the senders (``flow``, ``value``) that a key has, its parent's too where it shares them."""
    of_parent = and_(keys.c.share_senders, table.c.key_id == keys.c.parent_id)
    question = (
        select(table.c.flow, table.c.value)
        .join(keys, or_(table.c.key_id == keys.c.id, of_parent))
        .where(keys.c.id == key_id, _ACTIVE)
        .order_by(table.c.id)
    )
    return connection.execute(question).mappings().all()
