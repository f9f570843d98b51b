"""Queries about the starts that count against limits."""

from collections.abc import Iterable, Mapping
from typing import Any

import orjson
from sqlalchemy import Connection, Row, delete, select, tuple_

from messaging_service.clock import Milliseconds
from messaging_service.store.tables import verification_limits as table
from messaging_service.store.upsert import upsert
from messaging_service.verification.guard import Subject, Tally


def hold(connection: Connection, subjects: Iterable[Subject], now: Milliseconds) -> dict[Subject, Tally]:
    """Return what is known of subjects, held against other writers until the transaction ends."""
    # Always in the same order, so that two writers never wait for each other in a circle.
    wanted = sorted(set(subjects))
    connection.execute(
        upsert(connection, table).on_conflict_do_nothing(),
        [{"kind": kind, "subject": name, "recent": "[]", "updated_at": now} for kind, name in wanted],
    )
    question = (
        select(table)
        .where(tuple_(table.c.kind, table.c.subject).in_(wanted))
        .order_by(table.c.kind, table.c.subject)
        .with_for_update()
    )
    return {Subject(row.kind, row.subject): _tally(row) for row in connection.execute(question)}


def save(connection: Connection, tallies: Mapping[Subject, Tally], now: Milliseconds) -> None:
    """Write tallies that were held."""
    if not tallies:
        return
    offered = upsert(connection, table)
    changed = {name: offered.excluded[name] for name in ("recent", "refused_until", "judged_at", "updated_at")}
    connection.execute(
        offered.on_conflict_do_update(index_elements=["kind", "subject"], set_=changed),
        [
            {
                "kind": subject.kind,
                "subject": subject.name,
                "recent": orjson.dumps(tally.recent).decode(),
                "refused_until": tally.refused_until,
                "judged_at": tally.judged_at,
                "updated_at": now,
            }
            for subject, tally in tallies.items()
        ],
    )


def forget(connection: Connection, before: Milliseconds) -> int:
    """Delete what wasn't touched since a moment. Returns how many rows."""
    return connection.execute(delete(table).where(table.c.updated_at < before)).rowcount


def _tally(row: Row[Any]) -> Tally:
    recent = tuple((at, count) for at, count in orjson.loads(row.recent))
    return Tally(recent, row.refused_until, row.judged_at)
