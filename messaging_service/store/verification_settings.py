"""Queries about what accounts have set about their verifications."""

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, RowMapping, bindparam, select

from messaging_service.store.tables import verification_settings as table
from messaging_service.store.upsert import upsert

_OF_ACCOUNTS = select(table).where(table.c.account_id.in_(bindparam("account_ids", expanding=True)))


def of_accounts(connection: Connection, account_ids: Iterable[int]) -> dict[int, RowMapping]:
    """Return the rows of these accounts; those that have set nothing have none."""
    rows = connection.execute(_OF_ACCOUNTS, {"account_ids": sorted(set(account_ids))})
    return {row["account_id"]: row for row in rows.mappings()}


def save(connection: Connection, account_id: int, values: Mapping[str, Any]) -> None:
    """Write all settings of an account."""
    row = {"account_id": account_id, **values}
    statement = upsert(connection, table).values(row)
    connection.execute(statement.on_conflict_do_update(index_elements=["account_id"], set_=dict(values)))
