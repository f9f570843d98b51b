"""Queries about what messaging apps told by webhook: keep it, claim it, forget it once it is recorded."""

from typing import NamedTuple

from sqlalchemy import Connection, delete, insert, select, update

from messaging_service.clock import Milliseconds
from messaging_service.store.tables import chat_app_events as table


class Event(NamedTuple):
    """The body of one call."""

    id: int
    body: str


def add(connection: Connection, body: str, now: Milliseconds) -> None:
    """Keep the body of a call, due at once."""
    connection.execute(insert(table).values(body=body, due_at=now))


def any_due(connection: Connection, now: Milliseconds) -> bool:
    """Whether there is anything to record."""
    return connection.execute(select(table.c.id).where(table.c.due_at <= now).limit(1)).first() is not None


def claim_due(connection: Connection, now: Milliseconds, limit: int, until: Milliseconds) -> list[Event]:
    """Return what is to be recorded now, the oldest first. It is due again at ``until``, should this process die."""
    question = select(table.c.id, table.c.body).where(table.c.due_at <= now).order_by(table.c.id).limit(limit)
    events = [Event(*row) for row in connection.execute(question.with_for_update(skip_locked=True))]
    if events:
        named = table.c.id.in_([event.id for event in events])
        connection.execute(update(table).where(named).values(due_at=until))
    return events


def forget(connection: Connection, event_id: int) -> None:
    """Delete what is recorded."""
    connection.execute(delete(table).where(table.c.id == event_id))
