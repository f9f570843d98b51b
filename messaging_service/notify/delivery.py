"""A delivery: one array of events on its way to one address, and how waiting rows become one. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from messaging_service.clock import Milliseconds

MAX_EVENTS = 100
"""Events of one array."""
MAX_SIZE = 512 * 1024
"""Bytes of one array that holds more than one event."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """What one attempt sends. ``attempt`` counts from 1; ``delivery_id`` is the same on every attempt."""

    row: int
    delivery_id: str
    key_id: int
    receiver: str
    url: str = field(repr=False)
    attempt: int
    body: bytes = field(repr=False)
    secret: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Finished:
    """An attempt that came to an end; ``error`` is None when the receiver took it."""

    delivery: Delivery
    error: str | None


@dataclass(frozen=True, slots=True)
class Postponed:
    """An attempt that failed and when the next is due; None when that was the last."""

    delivery: Delivery
    error: str
    due_at: Milliseconds | None


@dataclass(frozen=True, slots=True)
class Waiting:
    """A row of the outbox that is due, without its events."""

    row: int
    url: str
    event_count: int
    size: int
    is_fresh: bool  # never attempted, so nobody has seen its delivery id


@dataclass(slots=True)
class _Group:
    rows: list[int]
    event_count: int
    size: int

    def takes(self, waiting: Waiting) -> bool:
        return self.event_count + waiting.event_count <= MAX_EVENTS and self.size + waiting.size <= MAX_SIZE

    def take(self, waiting: Waiting) -> None:
        self.rows.append(waiting.row)
        self.event_count += waiting.event_count
        self.size += waiting.size


def gather(waiting: Iterable[Waiting], room: int) -> list[list[int]]:
    """Choose at most ``room`` deliveries of one receiver: the rows of each, which share one address.

    Rows that were attempted before stay on their own, so that a delivery is the same on each attempt.
    """
    chosen: list[_Group] = []
    growing: dict[str, _Group] = {}
    for each in waiting:
        group = growing.get(each.url) if each.is_fresh else None
        if group is not None and group.takes(each):
            group.take(each)
        elif len(chosen) < room:
            group = _Group([each.row], each.event_count, each.size)
            chosen.append(group)
            if each.is_fresh:
                growing[each.url] = group
    return [group.rows for group in chosen]


def join_arrays(arrays: Iterable[str]) -> str:
    """Make one JSON array of several that aren't empty."""
    return "[" + ",".join(array[1:-1] for array in arrays) + "]"
