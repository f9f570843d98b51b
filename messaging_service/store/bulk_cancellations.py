"""Queries that cancel scheduled messages."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, and_, select, update

from interface.results import Result
from messaging_service.clock import Milliseconds
from messaging_service.store.tables import contents, messages


def cancel(connection: Connection, key_id: int, message_ids: Sequence[str], now: Milliseconds) -> int:
    """Cancel those of a key's messages that wait for a moment to come. Returns how many.

    What phase 2 is about to write about one of them finds it moved (``messages.MovedMeanwhile``).
    """
    scheduled = update(messages).where(
        _of_key(key_id, message_ids),
        messages.c.state == Result.ACCEPTED,
        messages.c.due_at > now,
    )
    cancelled = scheduled.values(state=Result.CANCELLED, due_at=None, ts_updated=now)
    return connection.execute(cancelled).rowcount


def exist(connection: Connection, key_id: int, message_ids: Sequence[str]) -> bool:
    """Whether a key has any of these messages."""
    question = select(messages.c.id).where(_of_key(key_id, message_ids)).limit(1)
    return connection.execute(question).first() is not None


def _of_key(key_id: int, message_ids: Sequence[str]) -> ColumnElement[bool]:
    of_key = select(contents.c.id).where(contents.c.id == messages.c.content_id, contents.c.key_id == key_id)
    return and_(messages.c.message_id.in_(message_ids), of_key.exists())
