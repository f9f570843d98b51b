"""Queries about what was charged, by wallet, date and channel."""

from collections.abc import Sequence

from sqlalchemy import Connection, RowMapping, func, select

from messaging_service.accounts.money import Money
from messaging_service.store.tables import daily_charges as table
from messaging_service.store.upsert import upsert

Line = tuple[int, str, str]
"""Wallet, date, channel."""
Lines = dict[Line, tuple[int, Money]]
"""Messages and amount of each line."""


def add(connection: Connection, lines: Lines) -> None:
    """Add messages and amounts to lines, always in the same order, so that no two writers wait in a circle."""
    if not lines:
        return
    statement = upsert(connection, table)
    added = {name: table.c[name] + statement.excluded[name] for name in ("messages", "amount")}
    adding = statement.on_conflict_do_update(index_elements=["wallet_id", "date", "channel"], set_=added)
    names = ("wallet_id", "date", "channel", "messages", "amount")
    rows = [dict(zip(names, (*line, *lines[line]), strict=True)) for line in sorted(lines)]
    connection.execute(adding, rows)


def by_channel(connection: Connection, wallet_id: int, since: str, until: str) -> Sequence[RowMapping]:
    """Return messages and amounts of a wallet from a date until before another, by channel."""
    question = (
        select(table.c.channel, func.sum(table.c.messages).label("messages"), func.sum(table.c.amount).label("amount"))
        .where(table.c.wallet_id == wallet_id, table.c.date >= since, table.c.date < until)
        .group_by(table.c.channel)
        .order_by(table.c.channel)
    )
    return connection.execute(question).mappings().all()
