"""Queries about low-credit alerts: whose wallet is on the other side of its value than it was told."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, RowMapping, Select, and_, or_, select, true, update

from messaging_service.store.tables import accounts, keys, wallets
from messaging_service.store.tables import credit_alerts as table
from messaging_service.store.upsert import upsert

_AT_ONCE = 500
_IS_LOW = wallets.c.balance < table.c.value
EVERY_KEY: ColumnElement[bool] = true()
KEYS_WITH_CALLBACK: ColumnElement[bool] = keys.c.default_callback_url != ""
"""Who can be told, with and without e-mail. Whoever can't be is told once they can."""
_CHANGED = and_(table.c.is_enabled, or_(and_(_IS_LOW, ~table.c.is_told), and_(~_IS_LOW, table.c.is_told)))


def of_key(connection: Connection, key_id: int) -> RowMapping | None:
    """Return the alert of a key, None when it never had one."""
    return connection.execute(select(table).where(table.c.key_id == key_id)).mappings().one_or_none()


def save(connection: Connection, row: Mapping[str, Any]) -> None:
    """Write the alert of a key, over the one that it has."""
    written = upsert(connection, table).values(row)
    connection.execute(written.on_conflict_do_update(index_elements=[table.c.key_id], set_=dict(row)))


def any_changed(connection: Connection, whose: ColumnElement[bool]) -> bool:
    """Whether the credit of any alert has fallen below its value or risen to it again."""
    return connection.execute(_of_changed(table.c.key_id).where(whose).limit(1)).first() is not None


def take_changed(connection: Connection, whose: ColumnElement[bool]) -> Sequence[RowMapping]:
    """Return alerts whose credit has fallen or risen, and write which it is (``is_told``). Nobody else gets them."""
    question = _of_changed(
        table.c.key_id,
        table.c.email,
        table.c.value,
        _IS_LOW.label("is_low"),
        wallets.c.balance,
        wallets.c.currency,
        keys.c.subid,
        keys.c.note,
        keys.c.default_callback_url,
        accounts.c.name.label("account"),
    )
    chosen = question.where(whose).order_by(table.c.key_id).limit(_AT_ONCE).with_for_update(of=table, skip_locked=True)
    rows = connection.execute(chosen).mappings().all()
    for is_told in (False, True):
        numbers = [row["key_id"] for row in rows if bool(row["is_low"]) is is_told]
        if numbers:
            connection.execute(update(table).where(table.c.key_id.in_(numbers)).values(is_told=is_told))
    return rows


def _of_changed(*columns: Any) -> Select[Any]:  # noqa: ANN401 - columns of several types
    return (
        select(*columns)
        .join_from(table, wallets, wallets.c.id == table.c.wallet_id)
        .join(keys, keys.c.id == table.c.key_id)
        .join(accounts, accounts.c.id == keys.c.account_id)
        .where(_CHANGED)
    )
