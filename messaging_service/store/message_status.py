"""Queries about the status of one message (specification 2.4)."""

from typing import NamedTuple

from sqlalchemy import Connection, select

from messaging_service.clock import Milliseconds
from messaging_service.message import Message
from messaging_service.store.messages import WHOLE, read
from messaging_service.store.tables import contents, messages


class Found(NamedTuple):
    """A message, and when it was accepted."""

    message: Message
    created_at: Milliseconds


def of_key(connection: Connection, key_id: int, message_id: str) -> Found | None:
    """Return a message that this key sent, None for any other."""
    question = WHOLE.where(messages.c.message_id == message_id, contents.c.key_id == key_id)
    for message in read(connection, question):
        created_at = select(contents.c.created_at).where(contents.c.id == message.content.id)
        return Found(message, connection.execute(created_at).scalar_one())
    return None
