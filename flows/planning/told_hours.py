"""The hours that a provider is told, so that it reaches nobody outside theirs even when it is late. Pure."""

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any
from zoneinfo import ZoneInfo

from flows.planning.clocks import Clock, Hours, windows_of
from interface.delivery_time import Weekday
from interface.windows import Milliseconds, Span, Window, next_span_of_all

MINUTE: Milliseconds = 60 * 1000
DAY: Milliseconds = 24 * 60 * MINUTE
WEEK: Milliseconds = 7 * DAY
LONGEST: Milliseconds = DAY - MINUTE
"""No longer hours can be written, but for those from midnight to midnight."""
EVERY_DAY = frozenset(range(len(Weekday)))
MIDNIGHT = dt.time(0)
UTC = ZoneInfo("UTC")
"""Whose clocks never change, unlike perhaps those of the first of several zones."""
END_OF_DAY = "24:00"
MINUTES_OF_A_DAY = 24 * 60


def delivery_time_of(clock: Clock, hours: Hours, at: float) -> dict[str, Any]:
    """Write the hours as the ``delivery_time`` of a message that is handed over from ``at`` (Unix seconds) on.

    With one zone and no holidays these are the hours as they were chosen. Otherwise one window has to stand for
    several, whose clocks may change, and for holidays: it is one that is open when the clock first suits and, for a
    week, only while it suits; of those, the one of the most days.
    """
    if _is_plain(clock):
        return {**hours.window.model_dump(mode="json", exclude_none=True), "tz": clock.zones[0]}
    return _told(windows_of(clock, hours), int(at * 1000))


def delivery_time_of_all(clocks: Sequence[Clock], hours: Hours, at: float) -> dict[str, Any] | None:
    """Write hours that suit all of the clocks (at least one), for messages that are handed over from ``at`` on.

    None where those told before hold at any time, or where several clocks have none in common.
    """
    windows = [window for clock in clocks for window in windows_of(clock, hours)]
    instant = int(at * 1000)
    if all(map(_is_plain, clocks)) or (len(clocks) > 1 and next_span_of_all(windows, instant) is None):
        return None
    return _told(windows, instant)


def _is_plain(clock: Clock) -> bool:
    return len(clock.zones) == 1 and clock.region is None


def _told(windows: Sequence[Window], instant: Milliseconds) -> dict[str, Any]:
    week = _week(windows, instant)
    candidates = (
        _as_written(week),
        *(_common(week, zone) for zone in (week.windows[0].zone, UTC)),
        _of_first_span(week),
    )
    held = [week.held(window) for window in candidates if window]
    return _written(max((window for window in held if week.begins_in(window)), key=lambda window: len(window.days)))


@dataclass(frozen=True)
class _Week:
    """When all windows are open: from the first moment on, which may be within a span, to a week after that opened."""

    windows: Sequence[Window]
    spans: Sequence[Span]
    begins: Milliseconds
    ends: Milliseconds

    def held(self, window: Window) -> Window:
        """Return the window on those days of the week on which it is never open outside the spans."""
        by_day = {day: replace(window, days=frozenset({day})) for day in EVERY_DAY}
        return replace(window, days=frozenset(day for day, alone in by_day.items() if self._holds(alone)))

    def begins_in(self, window: Window) -> bool:
        """Whether the window is open at the first moment that suits."""
        return bool(window.days) and window.next_open(self.begins) == self.begins

    def openings(self, window: Window) -> Iterator[Span]:
        """Yield the window's spans in this week."""
        instant = self.begins
        while (span := window.next_span(instant)).opens < self.ends:
            yield span
            instant = span.closes

    def _holds(self, window: Window) -> bool:
        opened = [Span(max(one.opens, self.begins), min(one.closes, self.ends)) for one in self.openings(window)]
        return bool(opened) and all(any(_contains(span, one) for span in self.spans) for one in opened)


def _week(windows: Sequence[Window], instant: Milliseconds) -> _Week:
    first = next_span_of_all(windows, instant)
    if first is None:
        windows = windows[:1]
        first = windows[0].next_span(instant)
    ends = first.opens + WEEK
    spans, following = [first], next_span_of_all(windows, first.closes)
    while following is not None and following.opens < ends:
        spans.append(following)
        following = next_span_of_all(windows, following.closes)
    return _Week(windows, tuple(_joined(spans)), max(first.opens, instant), ends)


def _joined(spans: Iterable[Span]) -> Iterator[Span]:
    """Make one of those that follow each other without a break, as those of whole days do."""
    first, *others = spans
    for span in others:
        if span.opens > first.closes:
            yield first
            first = span
        else:
            first = Span(first.opens, span.closes)
    yield first


def _as_written(week: _Week) -> Window:
    first = week.windows[0]
    return Window(EVERY_DAY, first.start, first.end, first.zone)


def _common(week: _Week, zone: ZoneInfo) -> Window | None:
    """Return the latest start and the earliest end of all windows in this week, on the clocks of a zone."""
    opened = [span for window in week.windows for span in week.openings(window)]
    starts = [_local(span.opens, zone).time() for span in opened]
    ends = [_local(span.closes, zone).time() for span in opened]
    start = _moved(starts[0], max(_minutes_after(starts[0], one) for one in starts))
    end = _moved(ends[0], min(_minutes_after(ends[0], one) for one in ends))
    return None if start == end != MIDNIGHT else Window(EVERY_DAY, start, end, zone)


def _of_first_span(week: _Week) -> Window:
    """Return the hours of the first span, in which clocks don't change: these are open now whatever else is.

    Of a span that is longer than hours can be written, as much as that from the first moment on, or the end of it.
    """
    span = next_span_of_all(week.windows, week.begins) or week.windows[0].next_span(week.begins)
    now = week.begins // MINUTE * MINUTE
    opens = max(span.opens, min(now, span.closes - LONGEST))
    closes = min(span.closes, opens + LONGEST)
    return Window(EVERY_DAY, _local(opens, UTC).time(), _local(closes, UTC).time(), UTC)


def _minutes_after(usual: dt.time, time: dt.time) -> int:
    """Return by how much a time is later than usual on the clock, which is at most half a day to either side."""
    minutes = _minute_of_day(time) - _minute_of_day(usual)
    return (minutes + MINUTES_OF_A_DAY // 2) % MINUTES_OF_A_DAY - MINUTES_OF_A_DAY // 2


def _moved(usual: dt.time, minutes: int) -> dt.time:
    hour, minute = divmod((_minute_of_day(usual) + minutes) % MINUTES_OF_A_DAY, 60)
    return dt.time(hour, minute)


def _minute_of_day(time: dt.time) -> int:
    return time.hour * 60 + time.minute


def _local(instant: Milliseconds, zone: ZoneInfo) -> dt.datetime:
    return dt.datetime.fromtimestamp(instant / 1000, zone)


def _contains(span: Span, other: Span) -> bool:
    return span.opens <= other.opens and other.closes <= span.closes


def _written(window: Window) -> dict[str, Any]:
    return {
        "days": [day.value for number, day in enumerate(Weekday) if number in window.days],
        "start": f"{window.start:%H:%M}",
        "end": END_OF_DAY if window.end == MIDNIGHT else f"{window.end:%H:%M}",
        "tz": window.zone.key,
    }
