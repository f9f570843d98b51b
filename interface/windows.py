"""When a window of local time is open, on clocks that change (details, ``delivery_time``). Pure."""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from interface.delivery_time import DeliveryTime, Weekday

Milliseconds = int
"""Unix time, or a span of it."""

_DAYS = tuple(Weekday)
_DAYS_SEARCHED = 15
"""How far ahead a moment is looked for at which several windows are open."""
_LONGEST_CLOSED = 62
"""Days in which one window opens at least once, public holidays and all."""
_DAY: Milliseconds = 24 * 3600 * 1000


class Span(NamedTuple):
    """From when to when a window is open; ``closes`` is exclusive."""

    opens: Milliseconds
    closes: Milliseconds


@dataclass(frozen=True, slots=True)
class Window:
    """A span of local time, on given days of the week (Monday is 0). It belongs to the day on which it opens.

    ``end`` is exclusive; one that isn't after ``start`` is on the following day. It doesn't open on ``closed`` dates.
    """

    days: frozenset[int]
    start: time
    end: time
    zone: ZoneInfo
    closed: Container[date] = frozenset()

    def next_open(self, instant: Milliseconds) -> Milliseconds:
        """Return ``instant`` when the window is open at it, else the moment of the next opening."""
        return max(instant, self.next_span(instant).opens)

    def next_span(self, instant: Milliseconds) -> Span:
        """Return the span that holds ``instant``, else the next one; `ValueError` when two months have none."""
        local_day = datetime.fromtimestamp(instant / 1000, self.zone).date()
        for offset in range(-1, _LONGEST_CLOSED):
            day = local_day + timedelta(days=offset)
            span = self._span(day)
            if span.opens < span.closes and instant < span.closes and self._opens_on(day):
                return span
        raise ValueError("the delivery window never opens")

    def _opens_on(self, day: date) -> bool:
        return day.weekday() in self.days and day not in self.closed

    def _span(self, day: date) -> Span:
        last_day = day if self.start < self.end else day + timedelta(days=1)
        return Span(_at(day, self.start, self.zone), _at(last_day, self.end, self.zone))


def window_of(delivery_time: DeliveryTime, closed: Container[date] = frozenset()) -> Window:
    """Return the window that a ``delivery_time`` asks for (specification 2.1, details "Message request object")."""
    return Window(
        frozenset(_DAYS.index(day) for day in delivery_time.days),
        delivery_time.start,
        delivery_time.end or time(0),
        ZoneInfo(delivery_time.tz),
        closed,
    )


def next_span_of_all(windows: Sequence[Window], instant: Milliseconds) -> Span | None:
    """Return the span in which all windows (at least one) are open, from ``instant`` on; None within 15 days."""
    last = instant + _DAYS_SEARCHED * _DAY
    while instant <= last:
        spans = [window.next_span(instant) for window in windows]
        common = Span(max(span.opens for span in spans), min(span.closes for span in spans))
        if common.opens < common.closes:
            return common if common.opens <= last else None
        instant = common.opens
    return None


def next_open_of_all(windows: Sequence[Window], instant: Milliseconds) -> Milliseconds | None:
    """Return the first moment from ``instant`` on at which all windows are open, None when 15 days have none."""
    if not windows:
        return instant
    span = next_span_of_all(windows, instant)
    return None if span is None else max(instant, span.opens)


def _at(day: date, clock_time: time, zone: ZoneInfo) -> Milliseconds:
    """Return the moment of a local time: the first of two, and the end of the gap for one that doesn't exist."""
    local = datetime.combine(day, clock_time, zone)
    instant = local.astimezone(UTC)
    exists = instant.astimezone(zone).replace(tzinfo=None) == local.replace(tzinfo=None)
    return _moment(instant) if exists else _end_of_gap(instant, zone)


def _end_of_gap(instant: datetime, zone: ZoneInfo) -> Milliseconds:
    """Find the change of offset nearest before ``instant``, which is where clocks jumped over the time asked for."""
    after = _moment(instant) // 1000
    before = after - 26 * 3600  # longer than any gap: a zone that moves over the date line skips a day
    offset_after = datetime.fromtimestamp(after, zone).utcoffset()
    while after - before > 1:
        middle = (before + after) // 2
        if datetime.fromtimestamp(middle, zone).utcoffset() == offset_after:
            after = middle
        else:
            before = middle
    return after * 1000


def _moment(at: datetime) -> Milliseconds:
    return round(at.timestamp() * 1000)
