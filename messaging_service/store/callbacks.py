"""Queries about the outbox: write deliveries, claim what is due, record what became of it, list and replay failures."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import (
    Connection,
    RowMapping,
    Select,
    bindparam,
    delete,
    func,
    insert,
    select,
    update,
)

from messaging_service.clock import Milliseconds
from messaging_service.notify.delivery import MAX_EVENTS, Delivery, Postponed, Waiting, gather, join_arrays
from messaging_service.store.tables import callbacks, keys

_PENDING = callbacks.c.due_at.is_not(None)
_ATTEMPT = (callbacks.c.id == bindparam("row"), callbacks.c.attempts == bindparam("attempt"))
_POSTPONE = update(callbacks).where(*_ATTEMPT).values(due_at=bindparam("due"), last_error=bindparam("error"))
_RELEASE = (
    update(callbacks)
    .where(*_ATTEMPT)
    # An error, even this one, keeps the row from being joined with others: somebody may have seen its delivery id.
    .values(due_at=bindparam("due"), attempts=callbacks.c.attempts - 1, last_error="interrupted")
)
_JOIN = (
    update(callbacks)
    .where(callbacks.c.id == bindparam("row"))
    .values(events=bindparam("joined"), event_count=bindparam("count"), size=bindparam("bytes"))
)


def add(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write deliveries."""
    if rows:
        connection.execute(insert(callbacks), rows)


def _earliest_of_each() -> Select[Any]:
    """Hop from receiver to receiver through the index, whatever the number of rows that wait for each."""
    first = select(func.min(callbacks.c.receiver).label("receiver")).where(_PENDING)
    found = first.cte("found", recursive=True)
    following = select(func.min(callbacks.c.receiver)).where(_PENDING, callbacks.c.receiver > found.c.receiver)
    found = found.union_all(select(following.scalar_subquery()).where(found.c.receiver.is_not(None)))
    earliest = select(func.min(callbacks.c.due_at)).where(_PENDING, callbacks.c.receiver == found.c.receiver)
    return select(found.c.receiver, earliest.scalar_subquery().label("due_at")).where(found.c.receiver.is_not(None))


_EARLIEST_OF_EACH = _earliest_of_each()


def earliest_of_each(connection: Connection) -> dict[str, Milliseconds]:
    """Return the receivers that something waits for, each with the moment at which its first delivery is due."""
    return {row.receiver: row.due_at for row in connection.execute(_EARLIEST_OF_EACH)}


def claim(
    connection: Connection, room: Mapping[str, int], now: Milliseconds, leased_until: Milliseconds
) -> list[Delivery]:
    """Take deliveries that are due, at most ``room`` for each receiver; they come due again when the lease ends.

    Small deliveries to one address that were never attempted become one, for good.
    """
    groups = [
        group for receiver in room for group in gather(_due(connection, receiver, room[receiver], now), room[receiver])
    ]
    if not groups:
        return []
    rows = _whole(connection, [row for group in groups for row in group])
    _join(connection, [group for group in groups if len(group) > 1], rows)
    leading = [group[0] for group in groups]
    lease = update(callbacks).where(callbacks.c.id.in_(leading))
    connection.execute(lease.values(due_at=leased_until, attempts=callbacks.c.attempts + 1))
    return [_delivery(rows, group) for group in groups]


def _due(connection: Connection, receiver: str, room: int, now: Milliseconds) -> list[Waiting]:
    question = (
        select(
            callbacks.c.id,
            callbacks.c.url,
            callbacks.c.event_count,
            callbacks.c.size,
            callbacks.c.attempts,
            callbacks.c.last_error,
        )
        .where(callbacks.c.receiver == receiver, callbacks.c.due_at <= now)
        .order_by(callbacks.c.due_at, callbacks.c.id)
        .limit(room * MAX_EVENTS)
        .with_for_update(skip_locked=True)
    )
    return [
        Waiting(row, url, event_count, size, is_fresh=attempts == 0 and last_error is None)
        for row, url, event_count, size, attempts, last_error in connection.execute(question)
    ]


def _whole(connection: Connection, ids: Sequence[int]) -> dict[int, RowMapping]:
    question = (
        select(
            callbacks.c.id,
            callbacks.c.delivery_id,
            callbacks.c.key_id,
            callbacks.c.receiver,
            callbacks.c.url,
            callbacks.c.attempts,
            callbacks.c.events,
            callbacks.c.event_count,
            keys.c.default_callback_secret,
        )
        .join(keys, keys.c.id == callbacks.c.key_id)
        .where(callbacks.c.id.in_(ids))
    )
    return {row["id"]: row for row in connection.execute(question).mappings()}


def _join(connection: Connection, groups: Sequence[Sequence[int]], rows: Mapping[int, RowMapping]) -> None:
    if not groups:
        return
    joined = [
        {
            "row": group[0],
            "joined": (events := _events(rows, group)),
            "count": sum(rows[row]["event_count"] for row in group),
            "bytes": len(events.encode()),
        }
        for group in groups
    ]
    connection.execute(_JOIN, joined)
    connection.execute(delete(callbacks).where(callbacks.c.id.in_([row for group in groups for row in group[1:]])))


def _events(rows: Mapping[int, RowMapping], group: Sequence[int]) -> str:
    return join_arrays(rows[row]["events"] for row in group)


def _delivery(rows: Mapping[int, RowMapping], group: Sequence[int]) -> Delivery:
    row = rows[group[0]]
    return Delivery(
        row=row["id"],
        delivery_id=row["delivery_id"],
        key_id=row["key_id"],
        receiver=row["receiver"],
        url=row["url"],
        attempt=row["attempts"] + 1,
        body=_events(rows, group).encode(),
        secret=row["default_callback_secret"],
    )


def remove(connection: Connection, delivered: Sequence[Delivery]) -> None:
    """Forget deliveries that their receivers took."""
    if delivered:
        connection.execute(delete(callbacks).where(callbacks.c.id.in_([each.row for each in delivered])))


def postpone(connection: Connection, failed: Sequence[Postponed]) -> None:
    """Write when failed deliveries are due again. A delivery that another worker has claimed since is its matter."""
    if failed:
        connection.execute(
            _POSTPONE, [_attempt(each.delivery) | {"due": each.due_at, "error": each.error} for each in failed]
        )


def release(connection: Connection, interrupted: Sequence[Delivery], now: Milliseconds) -> None:
    """Give deliveries back whose attempt was cut short by a stop; they are due at once."""
    if interrupted:
        connection.execute(_RELEASE, [_attempt(each) | {"due": now} for each in interrupted])


def _attempt(delivery: Delivery) -> dict[str, Any]:
    return {"row": delivery.row, "attempt": delivery.attempt}


def failed(connection: Connection, key_id: int, after: int = 0, limit: int = 100) -> Sequence[RowMapping]:
    """Return deliveries of a key that were given up, oldest first, those whose ``id`` is above ``after``."""
    question = (
        select(
            callbacks.c.id,
            callbacks.c.delivery_id,
            callbacks.c.url,
            callbacks.c.event_count,
            callbacks.c.attempts,
            callbacks.c.last_error,
            callbacks.c.created_at,
        )
        .where(callbacks.c.key_id == key_id, callbacks.c.due_at.is_(None), callbacks.c.id > after)
        .order_by(callbacks.c.id)
        .limit(limit)
    )
    return connection.execute(question).mappings().all()


def replay(
    connection: Connection, now: Milliseconds, *, key_id: int | None = None, delivery_id: str | None = None
) -> int:
    """Make given up deliveries (all, those of a key, or one) due again, with all their attempts. Returns how many."""
    question = update(callbacks).where(callbacks.c.due_at.is_(None))
    if key_id is not None:
        question = question.where(callbacks.c.key_id == key_id)
    if delivery_id is not None:
        question = question.where(callbacks.c.delivery_id == delivery_id)
    return connection.execute(question.values(due_at=now, attempts=0)).rowcount


def count_failed(connection: Connection) -> int:
    """Return how many deliveries were given up."""
    return connection.execute(select(func.count()).where(callbacks.c.due_at.is_(None))).scalar_one()
