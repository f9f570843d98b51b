"""The balances of an account over time, and of which of them people were warned."""

from sqlalchemy import delete, insert, select, update

from flows.ledger.database import Ledger
from flows.ledger.tables import balances
from flows.spending import Balance, Level

KEPT_SECONDS = 100 * 24 * 3600.0


def balances_since(ledger: Ledger, account: str, since: float) -> list[Balance]:
    """List the balances read since a moment (Unix seconds), the oldest first."""
    query = (
        select(balances).where(balances.c.account == account, balances.c.read_at >= since).order_by(balances.c.read_at)
    )
    with ledger.read() as connection:
        return [
            Balance(row.read_at, row.amount, row.currency, Level(row.level), row.warned_at)
            for row in connection.execute(query)
        ]


def keep_balance(ledger: Ledger, account: str, balance: Balance) -> None:
    """Write a balance down, and forget those of more than 100 days ago."""
    row = {
        "account": account,
        "read_at": balance.read_at,
        "amount": balance.amount,
        "currency": balance.currency,
        "level": balance.level,
        "warned_at": balance.warned_at,
    }
    old = (balances.c.account == account) & (balances.c.read_at < balance.read_at - KEPT_SECONDS)
    with ledger.write() as connection:
        connection.execute(insert(balances).values(row))
        connection.execute(delete(balances).where(old))


def mark_warned(ledger: Ledger, account: str, balance: Balance) -> None:
    """Write down that people were warned of this balance, now."""
    mine = (balances.c.account == account) & (balances.c.read_at == balance.read_at)
    with ledger.write() as connection:
        connection.execute(update(balances).where(mine).values(warned_at=ledger.now()))
