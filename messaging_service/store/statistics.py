"""Queries about statistics: add what a batch changed, read the dates that a call names."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import ColumnElement, Connection, RowMapping, Select, Table, bindparam, case, select
from sqlalchemy.dialects import postgresql, sqlite

from messaging_service.clock import Milliseconds
from messaging_service.store.prepared import Prepared
from messaging_service.store.tables import daily_networks, daily_statistics

_Insert = sqlite.Insert | postgresql.Insert
_Inserting = Callable[[Table], _Insert]
Line = tuple[int, str, str]
"""Key, date, tags."""


def add(
    connection: Connection,
    line: Line,
    counts: Mapping[str, int],
    sent: tuple[Milliseconds | None, Milliseconds | None],
) -> None:
    """Add counts to a line and widen its span of sending."""
    span = {"first_ts_sent": sent[0], "last_ts_sent": sent[1]}
    _adding(tuple(sorted(counts))).run(connection, [{**_named(line), **counts, **span}])


def add_networks(connection: Connection, line: Line, networks: Mapping[str, int]) -> None:
    """Add to the counts of a line by network."""
    changed = sorted(name for name, count in networks.items() if count)
    _ADD_NETWORKS.run(connection, [{**_named(line), "network": name, "count": networks[name]} for name in changed])


@cache
def _adding(names: Sequence[str]) -> Prepared:
    """Return the statement that adds counts of these names: built once, for that costs more than running it."""
    return Prepared(_adding_on(sqlite.insert, names), _adding_on(postgresql.insert, names))


def _adding_on(insert_into: _Inserting, names: Sequence[str]) -> _Insert:
    table = daily_statistics
    given = ("key_id", "date", "tags", *names, "first_ts_sent", "last_ts_sent")
    insert = insert_into(table).values({name: bindparam(name) for name in given})
    offered = insert.excluded
    first, last = offered.first_ts_sent, offered.last_ts_sent
    return insert.on_conflict_do_update(
        index_elements=["key_id", "date", "tags"],
        set_={
            **{name: table.c[name] + offered[name] for name in names},
            "first_ts_sent": _extreme(table.c.first_ts_sent, first, first < table.c.first_ts_sent),
            "last_ts_sent": _extreme(table.c.last_ts_sent, last, last > table.c.last_ts_sent),
        },
    )


def _adding_networks_on(insert_into: _Inserting) -> _Insert:
    insert = insert_into(daily_networks)
    return insert.on_conflict_do_update(
        index_elements=["key_id", "date", "tags", "network"],
        set_={"count": daily_networks.c.count + insert.excluded["count"]},
    )


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which lines are asked for: a key's, of these dates, with exactly these tags or (None) any."""

    key_id: int
    dates: Sequence[str]
    tags: str | None = None


def of_dates(connection: Connection, wanted: Wanted) -> Sequence[RowMapping]:
    """Return the lines asked for, by date and tags."""
    return connection.execute(lines(wanted)).mappings().all()


def networks_of_dates(connection: Connection, wanted: Wanted) -> Sequence[RowMapping]:
    """Return the counts by network of the lines asked for."""
    return connection.execute(networks(wanted)).mappings().all()


def lines(wanted: Wanted) -> Select[Any]:
    """Return the question for the lines."""
    table = daily_statistics
    return _narrow(select(table), table, wanted).order_by(table.c.date, table.c.tags)


def networks(wanted: Wanted) -> Select[Any]:
    """Return the question for the counts by network. One whose messages all went on to another counts no more."""
    return _narrow(select(daily_networks).where(daily_networks.c.count != 0), daily_networks, wanted)


def _narrow(question: Select[Any], table: Table, wanted: Wanted) -> Select[Any]:
    narrowed = question.where(table.c.key_id == wanted.key_id, table.c.date.in_(wanted.dates))
    return narrowed if wanted.tags is None else narrowed.where(table.c.tags == wanted.tags)


def _named(line: Line) -> dict[str, int | str]:
    return dict(zip(("key_id", "date", "tags"), line, strict=True))


def _extreme(
    kept: ColumnElement[int],
    offered: ColumnElement[int],
    better: ColumnElement[bool],
) -> ColumnElement[int]:
    return case((kept.is_(None), offered), (better, offered), else_=kept)


_ADD_NETWORKS = Prepared(_adding_networks_on(sqlite.insert), _adding_networks_on(postgresql.insert))
