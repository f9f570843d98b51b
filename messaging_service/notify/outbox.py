"""Writes notifications into the outbox, with the changes that they tell of."""

from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import urlsplit

import orjson
from sqlalchemy import Connection

from messaging_service.clock import Milliseconds
from messaging_service.identifiers import new_id
from messaging_service.message import Move
from messaging_service.notify.events import is_notified, sent_message
from messaging_service.store import callbacks

MAX_EVENTS = 100
"""Events of one array, so that a receiver can take each delivery in well under its 5 seconds."""

Address = tuple[int, str]
"""Key and URL: the events of one array are for one account and one address."""


def write(connection: Connection, moves: Sequence[Move], now: Milliseconds) -> int:
    """Write the notifications of moves into the open transaction, due at once. Returns how many rows they make."""
    events: dict[Address, list[dict[str, Any]]] = {}
    for move in moves:
        content = move.after.content
        if content.callback is not None and is_notified(move):
            events.setdefault((content.key_id, content.callback), []).append(sent_message(move, now))
    rows = [_row(address, part, now) for address, together in events.items() for part in _parts(together)]
    callbacks.add(connection, rows)
    return len(rows)


def receiver_of(key_id: int, url: str) -> str:
    """Return what is held back together when it doesn't answer: a key's addresses on one host and port."""
    try:
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.hostname}:{parts.port or ''}"
    except ValueError:  # kept, so that the attempt says what is wrong with it
        origin = url
    return f"{key_id} {origin}"


def _parts(events: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    return (events[start : start + MAX_EVENTS] for start in range(0, len(events), MAX_EVENTS))


def _row(address: Address, events: list[dict[str, Any]], now: Milliseconds) -> dict[str, Any]:
    key_id, url = address
    return {
        "delivery_id": new_id(),
        "key_id": key_id,
        "receiver": receiver_of(key_id, url),
        "url": url,
        "events": orjson.dumps(events).decode(),
        "event_count": len(events),
        "attempts": 0,
        "due_at": now,
        "created_at": now,
    }
