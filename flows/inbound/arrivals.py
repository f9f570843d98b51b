"""What arrived in an inbox: each message with an id of our own, for the interface gives it none (section 2.8)."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from flows.inbound.words import Kind
from flows.ledger.inbox import Step
from interface.inbox import InboundMessage

LATE = timedelta(hours=1)
"""How long after midnight the date before may still get messages."""


@dataclass(frozen=True)
class Arrival:
    """An inbound message; ``id`` is the same each time it is read, ``done`` is what was done about it before."""

    id: str
    date: str
    kind: Kind
    message: InboundMessage
    done: frozenset[Step] = frozenset()


def identified(messages: Sequence[InboundMessage]) -> Iterator[tuple[str, InboundMessage]]:
    """Give each message of one date an id: a digest of its content, and a count among those with the same content."""
    seen: Counter[str] = Counter()
    for message in messages:
        content = message.model_dump(mode="json", include={"ts_received", "from_", "to", "gateway", "body"})
        written = json.dumps(content, sort_keys=True)
        seen[written] += 1
        yield hashlib.sha256(f"{written}#{seen[written]}".encode()).hexdigest(), message


def dates_to_read(mark: str | None, days_back: int, now: float) -> list[date]:
    """List the UTC dates from the mark to today; without one, from ``days_back`` days before today."""
    today = datetime.fromtimestamp(now, UTC).date()
    first = today - timedelta(days=days_back) if mark is None else date.fromisoformat(mark)
    return [first + timedelta(days=days) for days in range((today - first).days + 1)]


def next_mark(now: float) -> date:
    """Return the first date that may still get messages."""
    return (datetime.fromtimestamp(now, UTC) - LATE).date()


def last_wishes(arrivals: Sequence[Arrival]) -> Mapping[str, Kind]:
    """Tell for each number that opted out or in what its last word was."""
    in_order = sorted(arrivals, key=lambda one: one.message.ts_received)
    return {one.message.from_: one.kind for one in in_order if one.kind is not Kind.MESSAGE}


def masked(number: str) -> str:
    """Write a number so that a person can recognise it and nobody can call it."""
    return f"{number[:3]}…{number[-3:]}" if len(number) > len("123456789") - 1 else "…"
