"""The one clock. Every moment in the service is an integer: milliseconds since 1970, UTC."""

import time
from datetime import UTC, datetime, timedelta
from typing import Protocol

Milliseconds = int

SECOND: Milliseconds = 1_000
MINUTE: Milliseconds = 60 * SECOND
HOUR: Milliseconds = 60 * MINUTE
DAY: Milliseconds = 24 * HOUR

_BEGINNING = datetime(1970, 1, 1, tzinfo=UTC)
_ONE = timedelta(milliseconds=1)


class Clock(Protocol):
    """What tells the time. Tests pass one that they move themselves."""

    def now(self) -> Milliseconds:
        """Return the current moment in milliseconds since 1970, UTC."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> Milliseconds:
        """Return the current moment in milliseconds since 1970, UTC."""
        return time.time_ns() // 1_000_000


def moment(value: datetime) -> Milliseconds:
    """Convert an aware datetime to milliseconds, exactly: its timestamp is a float, and may be a millisecond short."""
    return (value - _BEGINNING) // _ONE


def iso(value: Milliseconds) -> str:
    """Render a moment as ISO 8601 UTC with milliseconds, the form of every ``ts_…`` field."""
    return datetime.fromtimestamp(value / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def iso_or_none(value: Milliseconds | None) -> str | None:
    """Render a moment that may not have come yet."""
    return None if value is None else iso(value)


def utc_date(value: Milliseconds) -> str:
    """Return the UTC date (``YYYY-MM-DD``) by which lists and statistics are kept."""
    return datetime.fromtimestamp(value / 1000, UTC).date().isoformat()
