"""Step 3: when a message is due: its ``datetime``, its delivery window, and its place in the queues."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from interface.message import DeliveryTime, Weekday
from messaging_service.clock import DAY, MINUTE, Milliseconds, moment

PRIORITY, TRANSACTIONAL, EVERYTHING_ELSE = range(3)
"""The queues, the better first: a backlog in one never delays the one before it."""

_DAYS = tuple(Weekday)
_SEARCHED: Milliseconds = 15 * DAY
_CALENDAR_ENDS: Milliseconds = moment(datetime(9999, 12, 1, tzinfo=UTC))
"""From here on windows aren't looked for: the next opening may be a date that can't be written."""


def queue_of(tags: str) -> int:
    """Return the queue that the normalised, comma-separated tags choose (details, "Queues")."""
    named = tags.split(",")
    if "priority" in named:
        return PRIORITY
    return TRANSACTIONAL if "transactional" in named else EVERYTHING_ELSE


@dataclass(frozen=True, slots=True)
class Window:
    """A span of local time, on given days of the week (Monday is 0). It belongs to the day on which it opens.

    ``end`` is exclusive; one that isn't after ``start`` is on the following day.
    """

    days: frozenset[int]
    start: time
    end: time
    zone: ZoneInfo

    def next_open(self, instant: Milliseconds) -> Milliseconds:
        """Return ``instant`` when the window is open at it, else the moment of the next opening."""
        local_day = datetime.fromtimestamp(instant / 1000, self.zone).date()
        for offset in range(-1, 16):
            opens, closes = self._span(local_day + timedelta(days=offset))
            if opens < closes and instant < closes and (local_day + timedelta(days=offset)).weekday() in self.days:
                return max(instant, opens)
        raise ValueError("the delivery window never opens")

    def _span(self, day: date) -> tuple[Milliseconds, Milliseconds]:
        last_day = day if self.start < self.end else day + timedelta(days=1)
        return _at(day, self.start, self.zone), _at(last_day, self.end, self.zone)


def _at(day: date, clock_time: time, zone: ZoneInfo) -> Milliseconds:
    """Return the moment of a local time: the first of two, and the end of the gap for one that doesn't exist."""
    local = datetime.combine(day, clock_time, zone)
    instant = local.astimezone(UTC)
    exists = instant.astimezone(zone).replace(tzinfo=None) == local.replace(tzinfo=None)
    return moment(instant) if exists else _end_of_gap(instant, zone)


def _end_of_gap(instant: datetime, zone: ZoneInfo) -> Milliseconds:
    """Find the change of offset nearest before ``instant``, which is where clocks jumped over the time asked for."""
    after = moment(instant) // 1000
    before = after - 26 * 3600  # longer than any gap: a zone that moves over the date line skips a day
    offset_after = datetime.fromtimestamp(after, zone).utcoffset()
    while after - before > 1:
        middle = (before + after) // 2
        if datetime.fromtimestamp(middle, zone).utcoffset() == offset_after:
            after = middle
        else:
            before = middle
    return after * 1000


def next_open_of_all(windows: Sequence[Window], instant: Milliseconds) -> Milliseconds | None:
    """Return the first moment from ``instant`` on at which all windows are open, None when 15 days have none."""
    last = instant + _SEARCHED
    while instant <= last:
        opening = max((window.next_open(instant) for window in windows), default=instant)
        if opening == instant:
            return instant
        instant = opening
    return None


def window_of(delivery_time: DeliveryTime) -> Window:
    """Return the window that a ``delivery_time`` asks for (specification 2.1, details "Message request object")."""
    return Window(
        frozenset(_DAYS.index(day) for day in delivery_time.days),
        delivery_time.start,
        delivery_time.end or time(0),
        ZoneInfo(delivery_time.tz),
    )


def due_at(wanted: datetime | None, delivery_time: DeliveryTime | None, now: Milliseconds) -> Milliseconds:
    """Return when a message is due: now unless ``wanted`` is over a minute ahead, moved into the window if any."""
    asked = now if wanted is None else moment(wanted)
    earliest = asked if asked > now + MINUTE else now
    if delivery_time is None or earliest >= _CALENDAR_ENDS:
        return earliest
    return window_of(delivery_time).next_open(earliest)
