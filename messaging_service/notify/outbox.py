"""Writes notifications into the outbox, with the changes that they tell of."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

import orjson
from sqlalchemy import Connection

from messaging_service.clock import Milliseconds
from messaging_service.identifiers import new_id
from messaging_service.message import Move
from messaging_service.notify.delivery import MAX_EVENTS, MAX_SIZE
from messaging_service.notify.events import is_notified, sent_message
from messaging_service.store import callbacks

Address = tuple[int, str]
"""Key and URL: the events of one array are for one account and one address."""


def write(connection: Connection, moves: Sequence[Move], now: Milliseconds) -> int:
    """Write the notifications of moves into the open transaction, due at once. Returns how many rows they make."""
    events: dict[Address, list[bytes]] = {}
    for move in moves:
        content = move.after.content
        if content.callback is not None and is_notified(move):
            event = orjson.dumps(sent_message(move, now))
            events.setdefault((content.key_id, content.callback), []).append(event)
    return write_events(connection, events, now)


def write_events(connection: Connection, events: Mapping[Address, Sequence[bytes]], now: Milliseconds) -> int:
    """Write events (JSON objects) by their address, due at once. Returns how many rows they make."""
    rows = [_row(address, part, now) for address, together in events.items() for part in _arrays(together)]
    callbacks.add(connection, rows)
    return len(rows)


def receiver_of(key_id: int, url: str) -> str:
    """Return what is held back together when it doesn't answer: a key's addresses on one host and port."""
    try:
        parts = urlsplit(url)
        port = "" if parts.port is None else f":{parts.port}"
    except ValueError:  # the attempt will say what is wrong with it
        return f"{key_id} invalid"
    return f"{key_id} {parts.scheme}://{parts.hostname}{port}"


def _arrays(events: Sequence[bytes]) -> Iterator[list[bytes]]:
    """Split into arrays that a receiver can take in well under its 5 seconds, however long the payloads are."""
    array: list[bytes] = []
    size = 0
    for event in events:
        if array and (len(array) == MAX_EVENTS or size + len(event) > MAX_SIZE):
            yield array
            array, size = [], 0
        array.append(event)
        size += len(event)
    yield array


def _row(address: Address, events: Sequence[bytes], now: Milliseconds) -> dict[str, Any]:
    key_id, url = address
    array = b"[" + b",".join(events) + b"]"
    return {
        "delivery_id": new_id(),
        "key_id": key_id,
        "receiver": receiver_of(key_id, url),
        "url": url,
        "events": array.decode(),
        "event_count": len(events),
        "size": len(array),
        "attempts": 0,
        "due_at": now,
        "created_at": now,
    }
