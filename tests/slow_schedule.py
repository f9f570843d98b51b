"""When windows open, found by walking through the minutes of UTC and looking at the clock on the wall."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from zoneinfo import ZoneInfo

from interface.windows import Window

_EARLIER = timedelta(hours=42)
"""A day begins nowhere on Earth this long before it does in UTC, even where a day was skipped."""
_HOUR = timedelta(hours=1)
_NEAR = timedelta(hours=4)
"""No clock is ever put back by as much: before this, it is too early for certain."""
_DAYS_SEARCHED = 17
_LONGEST_CLOSED = 62
"""Days in which a window of one day of the week opens at least once, public holidays and all."""
_SEARCHED = 15 * 24 * 60 * 60 * 1000


def next_open(window: Window, instant: int) -> int:
    """Return the first moment from ``instant`` on at which the window is open."""
    first_day = datetime.fromtimestamp(instant / 1000, window.zone).date() - timedelta(days=1)
    for offset in range(_LONGEST_CLOSED):
        day = first_day + timedelta(days=offset)
        if day.weekday() in window.days and day not in window.closed:
            opens = _first_from(window.zone, day, window.start)
            last_day = day if window.end > window.start else day + timedelta(days=1)
            closes = _first_from(window.zone, last_day, window.end)
            if opens < closes and instant < closes:
                return max(instant, opens)
    raise AssertionError("never opens")


def next_open_of_all(windows: Sequence[Window], instant: int) -> int | None:
    """Return the first moment of the next 15 days at which all windows are open, None without one.

    A moment at which all are open for the first time is the one asked about or the opening of one of them.
    """
    spans = [spans_around(window, instant) for window in windows]
    openings = {instant, *(opens for each in spans for opens, _ in each)}
    together = [
        moment
        for moment in openings
        if instant <= moment <= instant + _SEARCHED
        and all(any(opens <= moment < closes for opens, closes in each) for each in spans)
    ]
    return min(together, default=None)


def spans_around(window: Window, instant: int) -> list[tuple[int, int]]:
    """Return from when to when the window is open, from two days before ``instant`` to 15 days after it."""
    first_day = datetime.fromtimestamp(instant / 1000, window.zone).date() - timedelta(days=2)
    days = [first_day + timedelta(days=offset) for offset in range(_DAYS_SEARCHED + 3)]
    return [
        (
            _first_from(window.zone, day, window.start),
            _first_from(window.zone, day if window.end > window.start else day + timedelta(days=1), window.end),
        )
        for day in days
        if day.weekday() in window.days and day not in window.closed
    ]


@cache
def _first_from(zone: ZoneInfo, day: date, clock_time: time) -> int:
    """Return the first minute at which the clock on the wall shows this time or a later one."""
    wanted = datetime.combine(day, clock_time)
    minute = datetime.combine(day, clock_time, UTC) - _EARLIER
    while (minute + _HOUR).astimezone(zone).replace(tzinfo=None) < wanted - _NEAR:
        minute += _HOUR
    while minute.astimezone(zone).replace(tzinfo=None) < wanted:
        minute += timedelta(minutes=1)
    return int(minute.timestamp()) * 1000


@cache
def changes_of_clocks(zone: str, year: int) -> list[datetime]:
    """Return the hours of a year in which a zone's offset changes."""
    hours = [datetime(year, 1, 1, tzinfo=UTC) + timedelta(hours=hour) for hour in range(366 * 24)]
    offsets = [hour.astimezone(ZoneInfo(zone)).utcoffset() for hour in hours]
    return [hour for hour, before, after in zip(hours[1:], offsets, offsets[1:], strict=False) if before != after]
