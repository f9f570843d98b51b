"""Queries about what waits: messages for phase 2, notifications for their receivers."""

from typing import NamedTuple

from sqlalchemy import Connection, func, select

from messaging_service.clock import Milliseconds
from messaging_service.store.tables import callbacks, messages

QUEUES = ("priority", "transactional", "promotional")
"""What the queues hold, the better first (``schedule``)."""


class Waiting(NamedTuple):
    """How many wait, and since when the first of them does."""

    number: int
    since: Milliseconds | None


def due_messages(connection: Connection, now: Milliseconds) -> dict[str, Waiting]:
    """Return the messages of each queue that are due and not yet processed. Costs the backlog, not the messages."""
    found = {}
    for queue, name in enumerate(QUEUES):
        question = select(func.count(), func.min(messages.c.due_at))
        due = question.where(messages.c.queue == queue, messages.c.due_at <= now)
        found[name] = Waiting(*connection.execute(due).one())
    return found


def pending_deliveries(connection: Connection) -> Waiting:
    """Return the deliveries that are neither done nor given up."""
    question = select(func.count(), func.min(callbacks.c.created_at)).where(callbacks.c.due_at.is_not(None))
    return Waiting(*connection.execute(question).one())
