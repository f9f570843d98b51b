"""Local hours, zones and moments to draw, and which minutes suit by the clocks on the walls."""

import datetime as dt
from zoneinfo import available_timezones

import holidays
import slow_schedule
from hypothesis import strategies as st

from flows.parameters import LocalHours
from flows.planning.clocks import Clock
from interface.delivery_time import Weekday
from interface.windows import window_of

ZONES = sorted(
    zone for zone in available_timezones() if "/" in zone and not zone.startswith(("Etc/", "posix", "right"))
)
ON_BOTH_SIDES_OF_THE_DATE_LINE = ("Pacific/Kiritimati", "Pacific/Pago_Pago")
ODD_ZONES = (
    *ON_BOTH_SIDES_OF_THE_DATE_LINE,
    "Pacific/Apia",
    "Australia/Lord_Howe",  # half an hour of summer time
    "America/St_Johns",
    "America/Denver",
    "America/Phoenix",  # Denver's winter time all year
)
YEAR = dt.datetime(2026, 1, 1, tzinfo=dt.UTC).timestamp()
MINUTE, WEEK = 60_000, 7 * 24 * 60
ALL_DAY = ("00:00", "24:00")

zones = st.one_of(st.sampled_from(ODD_ZONES), st.sampled_from(ZONES))
minutes = st.integers(0, 24 * 60 - 1).map(lambda minute: f"{minute // 60:02}:{minute % 60:02}")
weekdays = st.one_of(st.just(list(Weekday)), st.lists(st.sampled_from(list(Weekday)), min_size=1, unique=True))
anywhere = st.integers(0, 2 * 365 * 24 * 3600).map(lambda seconds: YEAR + seconds)


@st.composite
def hours_of_a_day(draw):
    """Draw hours, of which some are all of the day, and some those of the night in which clocks change."""
    at_night = st.tuples(st.sampled_from(["23:30", "00:00", "01:45", "02:30"]), st.sampled_from(["02:15", "03:30"]))
    start, end = draw(st.one_of(st.tuples(minutes, st.one_of(minutes, st.just("24:00"))), at_night, st.just(ALL_DAY)))
    return ("09:00", "20:00") if start == end else (start, end)


@st.composite
def local_hours(draw):
    start, end = draw(hours_of_a_day())
    return LocalHours(start=start, end=end, days=draw(weekdays)).as_hours()


@st.composite
def moments(draw, zone):
    """Draw a moment (Unix seconds): around a change of the zone's clocks, around holidays, or any."""
    changes = slow_schedule.changes_of_clocks(zone, draw(st.sampled_from([2026, 2027])))
    known = [dt.datetime(2026, 12, 24, tzinfo=dt.UTC), dt.datetime(2026, 4, 3, tzinfo=dt.UTC), *changes]
    hours = st.integers(-7 * 24, 3 * 24)
    near = st.builds(lambda one, hour: one.timestamp() + hour * 3600, st.sampled_from(known), hours)
    return draw(st.one_of(near, anywhere))


zones_and_moments = zones.flatmap(lambda zone: st.tuples(st.just(zone), moments(zone)))


@st.composite
def clocks(draw):
    """Draw a clock of one to three zones, with or without a country's holidays, and a moment."""
    zone, now = draw(zones_and_moments)
    others = draw(st.lists(zones.filter(lambda other: other != zone), max_size=2, unique=True))
    return Clock((zone, *others), draw(st.sampled_from([None, "CZ", "US", "JP"]))), now


def window_in(zone, hours, region=None):
    closed = frozenset() if region is None else holidays.country_holidays(region)
    return window_of(hours.window.model_copy(update={"tz": zone}), closed)


def open_minutes(window, instant):
    """Return the minutes of Unix time in which a window is open around an instant (milliseconds)."""
    spans = slow_schedule.spans_around(window, instant)
    return {minute for opens, closes in spans for minute in range(opens // MINUTE, closes // MINUTE)}


def minutes_that_suit(clock, hours, now):
    """Return when a clock first suits, and the minutes that do then.

    These are those of all zones, or of the first where they have none in common in 15 days.
    """
    instant = int(now * 1000)
    windows = [window_in(zone, hours, clock.region) for zone in clock.zones]
    opens = slow_schedule.next_open_of_all(windows, instant)
    if opens is None:
        windows = windows[:1]
        opens = slow_schedule.next_open(windows[0], instant)
    return opens, set.intersection(*(open_minutes(window, opens) for window in windows))
