"""Queries about wallets: never below zero, changed by one statement."""

from sqlalchemy import Connection, bindparam, select, update

from messaging_service.accounts.money import Money
from messaging_service.store.tables import wallets

_CHARGE = (
    update(wallets)
    .where(wallets.c.id == bindparam("wallet"), wallets.c.balance >= bindparam("amount"))
    .values(balance=wallets.c.balance - bindparam("amount"))
)


def charge(connection: Connection, wallet_id: int, amount: Money) -> bool:
    """Take ``amount`` if it is there. Returns whether it was."""
    return connection.execute(_CHARGE, {"wallet": wallet_id, "amount": amount}).rowcount == 1


def credit(connection: Connection, wallet_id: int, amount: Money) -> None:
    """Add ``amount``."""
    connection.execute(update(wallets).where(wallets.c.id == wallet_id).values(balance=wallets.c.balance + amount))


def balance(connection: Connection, wallet_id: int) -> Money:
    """Return the balance; on PostgreSQL held against other writers until the transaction ends."""
    return int(
        connection.execute(select(wallets.c.balance).where(wallets.c.id == wallet_id).with_for_update()).scalar_one()
    )


def shown_balance(connection: Connection, wallet_id: int) -> Money:
    """Return the balance as it was a moment ago, without holding it against anybody."""
    return int(connection.execute(select(wallets.c.balance).where(wallets.c.id == wallet_id)).scalar_one())


def exists(connection: Connection, wallet_id: int) -> bool:
    """Whether there is a wallet of this number."""
    return connection.execute(select(wallets.c.id).where(wallets.c.id == wallet_id)).first() is not None


def currency(connection: Connection, wallet_id: int) -> str:
    """Return the currency that a wallet is kept in."""
    return str(connection.execute(select(wallets.c.currency).where(wallets.c.id == wallet_id)).scalar_one())
