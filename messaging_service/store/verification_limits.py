"""Queries about the starts that count against limits."""

from collections.abc import Iterable, Mapping
from typing import Any

import orjson
from sqlalchemy import Connection, Row, bindparam, delete, select, tuple_
from sqlalchemy.dialects import postgresql, sqlite

from messaging_service.clock import Milliseconds
from messaging_service.store.prepared import Prepared
from messaging_service.store.tables import verification_limits as table
from messaging_service.verification.guard import Subject, Tally

_CHANGED = ("recent", "refused_until", "judged_at", "updated_at")


def _saving(insert: sqlite.Insert | postgresql.Insert) -> sqlite.Insert | postgresql.Insert:
    changed = {name: insert.excluded[name] for name in _CHANGED}
    return insert.on_conflict_do_update(index_elements=["kind", "subject"], set_=changed)


# Built once: building them anew would cost a start more than running them.
_MAKE = Prepared(sqlite.insert(table).on_conflict_do_nothing(), postgresql.insert(table).on_conflict_do_nothing())
_SAVE = Prepared(_saving(sqlite.insert(table)), _saving(postgresql.insert(table)))
_HOLD = (
    select(table)
    .where(tuple_(table.c.kind, table.c.subject).in_(bindparam("subjects", expanding=True)))
    .order_by(table.c.kind, table.c.subject)
    .with_for_update()
)


def hold(connection: Connection, subjects: Iterable[Subject], now: Milliseconds) -> dict[Subject, Tally]:
    """Return what is known of subjects, held against other writers until the transaction ends."""
    # Always in the same order, so that two writers never wait for each other in a circle.
    wanted = sorted(set(subjects))
    unknown = Tally()
    _MAKE.run(connection, [_row(subject, unknown, now) for subject in wanted])
    rows = connection.execute(_HOLD, {"subjects": wanted})
    return {Subject(row.kind, row.subject): _tally(row) for row in rows}


def save(connection: Connection, tallies: Mapping[Subject, Tally], now: Milliseconds) -> None:
    """Write tallies that were held."""
    _SAVE.run(connection, [_row(subject, tally, now) for subject, tally in tallies.items()])


def _row(subject: Subject, tally: Tally, now: Milliseconds) -> dict[str, Any]:
    return {
        "kind": subject.kind,
        "subject": subject.name,
        "recent": orjson.dumps(tally.recent).decode(),
        "refused_until": tally.refused_until,
        "judged_at": tally.judged_at,
        "updated_at": now,
    }


def forget(connection: Connection, before: Milliseconds) -> int:
    """Delete what wasn't touched since a moment. Returns how many rows."""
    return connection.execute(delete(table).where(table.c.updated_at < before)).rowcount


def _tally(row: Row[Any]) -> Tally:
    recent = tuple((at, count) for at, count in orjson.loads(row.recent))
    return Tally(recent, row.refused_until, row.judged_at)
