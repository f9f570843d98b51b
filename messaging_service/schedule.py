"""Step 3: when a message is due: its ``datetime``, its delivery window, and its place in the queues."""

from datetime import UTC, datetime

from interface.message import DeliveryTime
from interface.windows import Window, next_open_of_all, window_of
from messaging_service.clock import MINUTE, Milliseconds, moment

__all__ = [
    "EVERYTHING_ELSE",
    "PRIORITY",
    "TRANSACTIONAL",
    "Window",
    "due_at",
    "next_open_of_all",
    "queue_of",
    "window_of",
]

PRIORITY, TRANSACTIONAL, EVERYTHING_ELSE = range(3)
"""The queues, the better first: a backlog in one never delays the one before it."""

_CALENDAR_ENDS: Milliseconds = moment(datetime(9999, 12, 1, tzinfo=UTC))
"""From here on windows aren't looked for: the next opening may be a date that can't be written."""


def queue_of(tags: str) -> int:
    """Return the queue that the normalised, comma-separated tags choose (details, "Queues")."""
    named = tags.split(",")
    if "priority" in named:
        return PRIORITY
    return TRANSACTIONAL if "transactional" in named else EVERYTHING_ELSE


def due_at(wanted: datetime | None, delivery_time: DeliveryTime | None, now: Milliseconds) -> Milliseconds:
    """Return when a message is due: now unless ``wanted`` is over a minute ahead, moved into the window if any."""
    asked = now if wanted is None else moment(wanted)
    earliest = asked if asked > now + MINUTE else now
    if delivery_time is None or earliest >= _CALENDAR_ENDS:
        return earliest
    return window_of(delivery_time).next_open(earliest)
