"""Queries about the journal of accepted calls."""

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, delete, func, insert, select

from messaging_service.store.prepared import Prepared
from messaging_service.store.tables import accepted_calls, filed_calls
from messaging_service.store.upsert import upsert

QUEUES = range(3)


class Entry(NamedTuple):
    """An accepted call; ``plan`` is JSON."""

    id: int
    queue: int
    plan: str


_ADD = Prepared(insert(accepted_calls).values(queue=bindparam("queue"), plan=bindparam("plan")))
_ENTRY = (accepted_calls.c.id, accepted_calls.c.queue, accepted_calls.c.plan)
# Built once: building them anew would cost a turn of the worker more than running them.
_AFTER = (
    select(*_ENTRY)
    .where(accepted_calls.c.queue == bindparam("in_queue"), accepted_calls.c.id > bindparam("position"))
    .order_by(accepted_calls.c.id)
    .limit(bindparam("most"))
)
_POSITIONS = select(filed_calls)


def add(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write accepted calls, in the order in which they are to be filed."""
    _ADD.run(connection, rows)


def after(connection: Connection, positions: Mapping[int, int], limit: int) -> list[Entry]:
    """Return calls behind the positions, the better queue first."""
    entries: list[Entry] = []
    for queue in QUEUES:
        if len(entries) < limit:
            given = {"in_queue": queue, "position": positions.get(queue, 0), "most": limit - len(entries)}
            entries += [Entry(*row) for row in connection.execute(_AFTER, given)]
    return entries


def take(connection: Connection, limit: int) -> list[Entry]:
    """Return calls, the better queue first, and delete them with the transaction. Other processes get others."""
    chosen = (
        select(accepted_calls.c.id)
        .order_by(accepted_calls.c.queue, accepted_calls.c.id)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    taken = connection.execute(delete(accepted_calls).where(accepted_calls.c.id.in_(chosen)).returning(*_ENTRY))
    return sorted((Entry(*row) for row in taken), key=attrgetter("queue", "id"))


def last(connection: Connection) -> int | None:
    """Return the latest call of the journal, also when another process is filing it."""
    return connection.execute(select(func.max(accepted_calls.c.id))).scalar()


def outlast_others(connection: Connection, until: int) -> bool:
    """Wait for whoever is filing calls up to ``until``. Returns whether any of these calls is still to be filed."""
    question = select(accepted_calls.c.id).where(accepted_calls.c.id <= until).order_by(accepted_calls.c.id)
    return connection.execute(question.with_for_update(read=True)).first() is not None


def positions(connection: Connection) -> dict[int, int]:
    """Return how far each queue is filed."""
    return {row.queue: row.position for row in connection.execute(_POSITIONS)}


def advance(connection: Connection, reached: Mapping[int, int]) -> None:
    """Write how far queues are filed."""
    change = upsert(connection, filed_calls)
    connection.execute(
        change.on_conflict_do_update(index_elements=["queue"], set_={"position": change.excluded.position}),
        [{"queue": queue, "position": position} for queue, position in reached.items()],
    )


def forget(connection: Connection, filed: Mapping[int, int]) -> None:
    """Delete calls up to the positions."""
    for queue, position in filed.items():
        connection.execute(
            delete(accepted_calls).where(accepted_calls.c.queue == queue, accepted_calls.c.id <= position),
        )
