"""Queries about statistics: add what a batch changed, read the dates that a call names."""

from collections.abc import Mapping, Sequence

from sqlalchemy import ColumnElement, Connection, RowMapping, case, select

from messaging_service.clock import Milliseconds
from messaging_service.store.tables import daily_networks, daily_statistics
from messaging_service.store.upsert import upsert

Line = tuple[int, str, str]
"""Key, date, tags."""


def add(
    connection: Connection,
    line: Line,
    counts: Mapping[str, int],
    sent: tuple[Milliseconds | None, Milliseconds | None],
) -> None:
    """Add counts to a line and widen its span of sending."""
    table = daily_statistics
    insert = upsert(connection, table).values(**_named(line), **counts, first_ts_sent=sent[0], last_ts_sent=sent[1])
    offered = insert.excluded
    connection.execute(
        insert.on_conflict_do_update(
            index_elements=["key_id", "date", "tags"],
            set_={
                **{name: table.c[name] + offered[name] for name in counts},
                "first_ts_sent": _extreme(
                    table.c.first_ts_sent, offered.first_ts_sent, offered.first_ts_sent < table.c.first_ts_sent
                ),
                "last_ts_sent": _extreme(
                    table.c.last_ts_sent, offered.last_ts_sent, offered.last_ts_sent > table.c.last_ts_sent
                ),
            },
        ),
    )


def add_networks(connection: Connection, line: Line, networks: Mapping[str, int]) -> None:
    """Add to the counts of a line by network."""
    if not networks:
        return
    insert = upsert(connection, daily_networks)
    adding = insert.on_conflict_do_update(
        index_elements=["key_id", "date", "tags", "network"],
        set_={"count": daily_networks.c.count + insert.excluded["count"]},
    )
    connection.execute(
        adding, [{**_named(line), "network": name, "count": networks[name]} for name in sorted(networks)]
    )


def of_dates(connection: Connection, key_id: int, dates: Sequence[str]) -> Sequence[RowMapping]:
    """Return the lines of a key for these dates, by date and tags."""
    table = daily_statistics
    question = (
        select(table).where(table.c.key_id == key_id, table.c.date.in_(dates)).order_by(table.c.date, table.c.tags)
    )
    return connection.execute(question).mappings().all()


def networks_of_dates(connection: Connection, key_id: int, dates: Sequence[str]) -> Sequence[RowMapping]:
    """Return the counts by network of a key for these dates."""
    table = daily_networks
    question = select(table).where(table.c.key_id == key_id, table.c.date.in_(dates))
    return connection.execute(question).mappings().all()


def _named(line: Line) -> dict[str, int | str]:
    return dict(zip(("key_id", "date", "tags"), line, strict=True))


def _extreme(
    kept: ColumnElement[int],
    offered: ColumnElement[int],
    better: ColumnElement[bool],
) -> ColumnElement[int]:
    return case((kept.is_(None), offered), (better, offered), else_=kept)
