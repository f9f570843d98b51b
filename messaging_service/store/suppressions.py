"""Queries about the blacklist and the opt-out list."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, RowMapping, bindparam, delete, func, select

from messaging_service.store.tables import suppressions as table
from messaging_service.store.upsert import upsert

BLACKLIST = "blacklist"
OPT_OUT = "optout"
"""The lists, as they are stored."""
WHOLE_ACCOUNT = "default"
"""The sub-account of an entry that holds for all of the account's keys."""
_OF_NUMBERS = select(table.c.account_id, table.c.list, table.c.phone_number, table.c.subid).where(
    table.c.account_id.in_(bindparam("account_ids", expanding=True)),
    table.c.phone_number.in_(bindparam("numbers", expanding=True)),
)


class Listed(NamedTuple):
    """One list of an account: all entries with one sub-account."""

    account_id: int
    name: str
    subid: str


def add(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write entries; those that are there already stay."""
    if rows:
        connection.execute(upsert(connection, table).on_conflict_do_nothing(), rows)


def of_numbers(
    connection: Connection,
    account_ids: Iterable[int],
    numbers: Iterable[str],
) -> set[tuple[int, str, str, str]]:
    """Return the entries (account, list, number, sub-account) of these accounts that name one of the numbers."""
    given = {"account_ids": list(account_ids), "numbers": list(numbers)}
    return {tuple(row) for row in connection.execute(_OF_NUMBERS, given)}


def take_off(connection: Connection, account_id: int, name: str, phone_number: str) -> int:
    """Delete all entries of a number from a list, those of sub-accounts too. Returns how many there were."""
    entries = delete(table).where(
        table.c.account_id == account_id,
        table.c.list == name,
        table.c.phone_number == phone_number,
    )
    return connection.execute(entries).rowcount


def page(connection: Connection, listed: Listed, after: str, limit: int) -> Sequence[RowMapping]:
    """Return the entries (``phone_number``, ``created_at``) whose numbers come after one, in their order."""
    question = (
        select(table.c.phone_number, table.c.created_at)
        .where(*_of(listed), table.c.phone_number > after)
        .order_by(table.c.phone_number)
        .limit(limit)
    )
    return connection.execute(question).mappings().all()


def remove(connection: Connection, listed: Listed, numbers: Iterable[str]) -> int:
    """Delete entries. Returns how many there were."""
    entries = delete(table).where(*_of(listed), table.c.phone_number.in_(list(numbers)))
    return connection.execute(entries).rowcount


def count(connection: Connection, listed: Listed) -> int:
    """Return how many entries a list has."""
    return int(connection.execute(select(func.count()).select_from(table).where(*_of(listed))).scalar_one())


def _of(listed: Listed) -> tuple[ColumnElement[bool], ...]:
    return (table.c.account_id == listed.account_id, table.c.list == listed.name, table.c.subid == listed.subid)
