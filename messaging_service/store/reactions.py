"""Writes what recipients did with messages. Only their own columns: a receipt may be moving the message just then."""

from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, update

from messaging_service.message import Message
from messaging_service.store.prepared import Prepared
from messaging_service.store.tables import messages

_REACTIONS = ("ts_clicked", "ts_replied", "ts_optout")
_SAVE = Prepared(
    update(messages)
    .where(messages.c.id == bindparam("row"))
    .values({name: bindparam(f"new_{name}") for name in _REACTIONS}),
)


def save(connection: Connection, reacted: Sequence[Message]) -> None:
    """Write when each message was clicked, replied to and opted out of."""
    rows = [
        {"row": message.id, **{f"new_{name}": getattr(message, name) for name in _REACTIONS}} for message in reacted
    ]
    _SAVE.run(connection, rows)
