"""Queries about inbound messages: whose they are, record them once, list them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, RowMapping, func, or_, select

from interface.results import Result
from messaging_service.clock import Milliseconds
from messaging_service.message import Message
from messaging_service.store.messages import WHOLE, read
from messaging_service.store.tables import inbox, keys, messages
from messaging_service.store.upsert import upsert

_AT_ONCE = 50
_NEVER_LEFT = (Result.ACCEPTED, Result.REJECTED, Result.CANCELLED)


def sent_to(connection: Connection, phone_number: str, since: Milliseconds) -> Iterator[Message]:
    """Return what was sent to a number since a moment, the latest first."""
    sent_at = func.coalesce(messages.c.ts_sent, messages.c.ts_updated)  # an answer may be faster than the receipt
    question = (
        WHOLE.where(messages.c.phone_number == phone_number, sent_at >= since, messages.c.state.not_in(_NEVER_LEFT))
        .order_by(sent_at.desc(), messages.c.id.desc())
        .limit(_AT_ONCE)
    )
    offset = 0
    while found := read(connection, question.offset(offset)):
        yield from found
        offset += len(found)


def keys_of_sender(connection: Connection, sender: str) -> Sequence[RowMapping]:
    """Return the keys (``id``, ``account_id``) whose default sender is this one, the oldest first."""
    question = select(keys.c.id, keys.c.account_id).where(keys.c.default_sender == sender).order_by(keys.c.id)
    return connection.execute(question).mappings().all()


def is_recorded(connection: Connection, inbound_id: str) -> bool:
    """Whether an inbound message is in the inbox already."""
    return connection.execute(select(inbox.c.id).where(inbox.c.inbound_id == inbound_id)).first() is not None


def add(connection: Connection, row: Mapping[str, Any]) -> bool:
    """Write an inbound message. Returns whether it wasn't there before."""
    statement = upsert(connection, inbox).values(row).on_conflict_do_nothing().returning(inbox.c.id)
    return connection.execute(statement).first() is not None


class Place(NamedTuple):
    """A place in an inbox: behind the row ``id`` of a moment. What arrives stands behind all that was read."""

    ts_received: Milliseconds
    id: int = 0


class Part(NamedTuple):
    """What of a key's inbox is asked for: what stands behind a place, and came before the moment ``end``."""

    key_id: int
    after: Place
    end: Milliseconds


def page(connection: Connection, wanted: Part, limit: int) -> Sequence[RowMapping]:
    """Return the first rows of a part, the oldest first."""
    since, received = wanted.after, inbox.c.ts_received
    is_later = or_(received > since.ts_received, inbox.c.id > since.id)
    question = select(inbox).where(
        inbox.c.key_id == wanted.key_id, received >= since.ts_received, received < wanted.end, is_later
    )
    return connection.execute(question.order_by(received, inbox.c.id).limit(limit)).mappings().all()


Conversation = tuple[int, str, str]
"""An account, who wrote to it, and the sender that was written to, in lower case."""


def conversations(
    connection: Connection, numbers: Iterable[str], gateways: Iterable[str], since: Milliseconds
) -> set[Conversation]:
    """Return to which accounts and senders these numbers have written through these channels since a moment."""
    question = (
        select(keys.c.account_id, inbox.c.sender, inbox.c.recipient)
        .join(keys, keys.c.id == inbox.c.key_id)
        .where(inbox.c.sender.in_(list(numbers)), inbox.c.ts_received >= since, inbox.c.gateway.in_(list(gateways)))
        .distinct()
    )
    return {(account, sender, recipient.casefold()) for account, sender, recipient in connection.execute(question)}
