"""Queries about the credentials that accounts show marketing platforms."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, RowMapping, delete, select

from messaging_service.store.tables import accounts
from messaging_service.store.tables import connector_credentials as table
from messaging_service.store.upsert import upsert


def find(connection: Connection, account_id: int, connector: str, app_userid: str) -> str | None:
    """Return the sealed secret of a user of an account, None when it has none."""
    question = select(table.c.sealed).where(
        table.c.account_id == account_id, table.c.connector == connector, table.c.app_userid == app_userid
    )
    sealed: str | None = connection.execute(question).scalar()
    return sealed


def put(connection: Connection, row: Mapping[str, Any]) -> None:
    """Write credentials, over those that were there."""
    statement = upsert(connection, table).values(row)
    fresh = {name: statement.excluded[name] for name in ("sealed", "created_at")}
    connection.execute(
        statement.on_conflict_do_update(index_elements=["account_id", "connector", "app_userid"], set_=fresh)
    )


def remove(connection: Connection, account_id: int, connector: str, app_userid: str) -> bool:
    """Delete credentials. Returns whether there were any."""
    mine = delete(table).where(
        table.c.account_id == account_id, table.c.connector == connector, table.c.app_userid == app_userid
    )
    return connection.execute(mine).rowcount == 1


def overview(connection: Connection) -> Sequence[RowMapping]:
    """Return whose credentials there are, without the secrets."""
    question = (
        select(table.c.connector, table.c.app_userid, accounts.c.name.label("account"))
        .join(accounts, accounts.c.id == table.c.account_id)
        .order_by(table.c.connector, accounts.c.name, table.c.app_userid)
    )
    return connection.execute(question).mappings().all()
