"""Queries about the messages of a date, page by page (specification 2.5, 4.3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sqlalchemy import Connection, Select, or_, select

from messaging_service.message import Message
from messaging_service.store.messages import WHOLE, read
from messaging_service.store.tables import contents, messages


class Place(NamedTuple):
    """A row's place in the list. It never changes, and ids of contents grow with time: new rows come after old ones."""

    content_id: str
    position: int


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which messages are asked for. ``numbers`` are the writings of one number, empty for every number."""

    key_id: int
    date: str
    tags: str | None = None
    numbers: Sequence[str] = ()


class Page(NamedTuple):
    """Messages in the order of the list; ``last`` is the place of the last one when others follow it."""

    messages: Sequence[Message]
    last: Place | None


def page(connection: Connection, wanted: Wanted, after: Place | None, limit: int) -> Page:
    """Return the next messages after a place."""
    found = read(connection, question(wanted, after).limit(limit + 1))
    if len(found) <= limit:
        return Page(found, None)
    last = found[limit - 1]
    position = connection.execute(select(messages.c.position).where(messages.c.id == last.id)).scalar_one()
    return Page(found[:limit], Place(last.content.id, position))


def question(wanted: Wanted, after: Place | None) -> Select[Any]:
    """Return the question behind a page: it walks two indexes, and sorts within one object at most."""
    asked = WHOLE.where(contents.c.key_id == wanted.key_id, contents.c.date == wanted.date)
    if wanted.tags is not None:
        asked = asked.where(contents.c.tags == wanted.tags)
    if wanted.numbers:
        as_written = messages.c.phone_number.is_(None) & messages.c.recipient.in_(wanted.numbers)
        asked = asked.where(or_(messages.c.phone_number.in_(wanted.numbers), as_written))
    if after is not None:
        is_later = or_(contents.c.id > after.content_id, messages.c.position > after.position)
        asked = asked.where(contents.c.id >= after.content_id, is_later)
    return asked.order_by(contents.c.id, messages.c.position)
