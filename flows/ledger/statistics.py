"""Statistics by date, tags and network: merged as the provider tells them, read for reports."""

import datetime as dt
from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from sqlalchemy import ColumnElement, Connection, and_, delete, or_, select
from sqlalchemy.dialects import postgresql, sqlite

from flows.ledger.database import Ledger
from flows.ledger.tables import daily_statistics, rate_drops

ALL_NETWORKS = ""
ROWS_A_STATEMENT = 500
COLUMNS = daily_statistics.c


@dataclass(frozen=True)
class DailyLine:
    """The counters of one UTC date, set of tags and network; `ALL_NETWORKS` for the set of tags as a whole.

    ``delivered`` is of the ``rated`` messages. Of a network's messages the interface tells only how many were sent
    (specification 2.6); what it doesn't tell is None. Moments are Unix seconds.
    """

    date: str
    tags: str
    network: str
    sent: int
    rated: int
    delivered: int
    nondelivered: int | None = None
    notsent: int | None = None
    seen: int | None = None
    clicked: int | None = None
    replied: int | None = None
    optout: int | None = None
    parts: int | None = None
    first_sent_at: float | None = None
    last_sent_at: float | None = None

    @property
    def key(self) -> tuple[str, str, str]:
        """What the line is about."""
        return (self.date, self.tags, self.network)


@dataclass(frozen=True)
class Whose:
    """The account (the block's name) and sub-account that statistics belong to."""

    account: str
    sub_account: str


@dataclass(frozen=True)
class Merged:
    """How many lines were new, and how many were corrected or, networks that are not told any more, removed."""

    new: int = 0
    corrected: int = 0

    def __add__(self, other: "Merged") -> "Merged":
        return Merged(self.new + other.new, self.corrected + other.corrected)


def merge(ledger: Ledger, whose: Whose, lines: Sequence[DailyLine]) -> Merged:
    """Write what the provider tells now; a set of tags or a date that it doesn't tell any more stays as it was."""
    with ledger.write() as connection:
        known = {line.key: line for line in _known(connection, whose, {line.date for line in lines})}
        different = [line for line in lines if known.get(line.key) != line]
        told = {line.key for line in lines}
        sets = {(line.date, line.tags) for line in lines}
        gone = [key for key in known if key not in told and key[:2] in sets]
        _write(connection, whose, different)
        _remove(connection, whose, gone)
    new = sum(line.key not in known for line in different)
    return Merged(new, len(different) - new + len(gone))


def read_statistics(
    ledger: Ledger, whose: Sequence[Whose], dates: Collection[dt.date]
) -> Iterator[tuple[Whose, DailyLine]]:
    """Read the lines of these dates, by account, sub-account, date, tags and network."""
    wanted = {one.isoformat() for one in dates}
    if not wanted:
        return
    query = (
        select(COLUMNS.account, COLUMNS.sub_account, *_line_columns())
        .where(or_(*(_of(one) for one in whose)))
        .where(COLUMNS.date.between(min(wanted), max(wanted)))
        .order_by(COLUMNS.account, COLUMNS.sub_account, COLUMNS.date, COLUMNS.tags, COLUMNS.network)
    )
    with ledger.read() as connection:
        for account, sub_account, *values in connection.execute(query):
            if values[0] in wanted:
                yield Whose(account, sub_account), DailyLine(*values)


@dataclass(frozen=True)
class ToldDrop:
    """A drop that was told: of a tag's or a network's (``kind``) delivery rate on a date."""

    whose: Whose
    kind: str
    subject: str
    date: dt.date

    def as_row(self) -> dict[str, str]:
        """Write it as a row of the table, without its moment."""
        return {**asdict(self.whose), "kind": self.kind, "subject": self.subject, "date": self.date.isoformat()}


def untold(ledger: Ledger, drops: Collection[ToldDrop]) -> set[ToldDrop]:
    """Return those of the drops that weren't told yet."""
    columns = rate_drops.c
    with ledger.read() as connection:
        rows = connection.execute(
            select(columns.account, columns.sub_account, columns.kind, columns.subject, columns.date).where(
                columns.date.in_({one.date.isoformat() for one in drops})
            )
        ).all()
    told = {ToldDrop(Whose(a, s), kind, subject, dt.date.fromisoformat(date)) for a, s, kind, subject, date in rows}
    return set(drops) - told


def record_told(ledger: Ledger, drops: Collection[ToldDrop]) -> None:
    """Note that these drops were told; those noted already stay as they are."""
    if not drops:
        return
    rows = [{**one.as_row(), "told_at": ledger.now()} for one in drops]
    with ledger.write() as connection:
        connection.execute(_insert(connection, rate_drops).on_conflict_do_nothing(), rows)


def _known(connection: Connection, whose: Whose, dates: Collection[str]) -> Iterator[DailyLine]:
    query = select(*_line_columns()).where(_of(whose), COLUMNS.date.in_(dates))
    for row in connection.execute(query):
        yield DailyLine(*row)


def _write(connection: Connection, whose: Whose, lines: Sequence[DailyLine]) -> None:
    if not lines:
        return
    statement = _insert(connection, daily_statistics)
    key = [column.name for column in daily_statistics.primary_key]
    counters = {column.name: statement.excluded[column.name] for column in COLUMNS if column.name not in key}
    merged = statement.on_conflict_do_update(index_elements=key, set_=counters)
    owner = asdict(whose)
    for start in range(0, len(lines), ROWS_A_STATEMENT):
        connection.execute(merged, [{**owner, **asdict(line)} for line in lines[start : start + ROWS_A_STATEMENT]])


def _remove(connection: Connection, whose: Whose, keys: Sequence[tuple[str, str, str]]) -> None:
    for date, tags, network in keys:
        gone = and_(_of(whose), COLUMNS.date == date, COLUMNS.tags == tags, COLUMNS.network == network)
        connection.execute(delete(daily_statistics).where(gone))


def _of(whose: Whose) -> ColumnElement[bool]:
    return and_(COLUMNS.account == whose.account, COLUMNS.sub_account == whose.sub_account)


def _line_columns() -> list[Any]:
    return [COLUMNS[field.name] for field in fields(DailyLine)]


def _insert(connection: Connection, table: Any) -> sqlite.Insert | postgresql.Insert:  # noqa: ANN401
    return sqlite.insert(table) if connection.dialect.name == "sqlite" else postgresql.insert(table)
