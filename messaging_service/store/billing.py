"""Queries about billing records: whose they are, and which wallets they are for."""

from collections.abc import Mapping

from sqlalchemy import Connection, RowMapping, insert, select, update

from messaging_service.clock import Milliseconds
from messaging_service.store.tables import billed_wallets, keys
from messaging_service.store.tables import billing_records as table


def add(connection: Connection, billing_id: str, key_id: int, now: Milliseconds, contact: Mapping[str, str]) -> None:
    """Write the billing record of a key that has a wallet of its own, and have the wallet's invoices go to it."""
    key = connection.execute(select(keys.c.account_id, keys.c.wallet_id).where(keys.c.id == key_id)).one()
    row = {"billing_id": billing_id, "account_id": key.account_id, "key_id": key_id, "created_at": now, **contact}
    number = connection.execute(insert(table).values(row).returning(table.c.id)).scalar_one()
    connection.execute(insert(billed_wallets).values(wallet_id=key.wallet_id, billing_record_id=number))


def share(connection: Connection, wallet_id: int, record_id: int) -> None:
    """Have the invoices of one more wallet go to a record."""
    connection.execute(insert(billed_wallets).values(wallet_id=wallet_id, billing_record_id=record_id))


def of_key(connection: Connection, key_id: int) -> RowMapping | None:
    """Return the record that belongs to a key, None for one that has none."""
    return connection.execute(select(table).where(table.c.key_id == key_id)).mappings().one_or_none()


def id_of_wallet(connection: Connection, wallet_id: int) -> str | None:
    """Return the ``billing_id`` to which a wallet's invoices go."""
    question = select(table.c.billing_id).join(billed_wallets, billed_wallets.c.billing_record_id == table.c.id)
    billing_id: str | None = connection.execute(question.where(billed_wallets.c.wallet_id == wallet_id)).scalar()
    return billing_id


def change(connection: Connection, record_id: int, contact: Mapping[str, str]) -> None:
    """Write new values of a contact."""
    connection.execute(update(table).where(table.c.id == record_id).values(contact))
