"""Who is written to when: whatever the zone, the days and the changes of clocks, nobody outside their hours."""

import datetime as dt
import sys
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from flows.ledger import PlannedWave
from flows.parameters import LocalHours
from flows.planning.clocks import Clock, Hours, clock_of, delivery_time_of, next_span
from flows.planning.waves import Start, reopening, seat
from flows.problems import SettingsProblem
from flows.recipients.reading import Recipient
from interface.delivery_time import DeliveryTime, Weekday
from interface.windows import window_of

ZONES = sorted(
    zone for zone in available_timezones() if "/" in zone and not zone.startswith(("Etc/", "posix", "right"))
)
ON_BOTH_SIDES_OF_THE_DATE_LINE = ("Pacific/Kiritimati", "Pacific/Pago_Pago")
YEAR = dt.datetime(2026, 1, 1, tzinfo=dt.UTC).timestamp()

moments = st.integers(0, 2 * 365 * 24 * 3600).map(lambda seconds: YEAR + seconds)
zones = st.sampled_from(ZONES)
minutes = st.integers(0, 24 * 60 - 1).map(lambda minute: f"{minute // 60:02}:{minute % 60:02}")


@st.composite
def local_hours(draw):
    start, end = draw(minutes), draw(st.one_of(minutes, st.just("24:00")))
    if start == end or (start, end) == ("00:00", "24:00"):
        start, end = "09:00", "20:00"
    days = draw(st.lists(st.sampled_from(list(Weekday)), min_size=1, unique=True))
    return LocalHours(start=start, end=end, days=days).as_hours()


def recipient(number="420777000001", line=2, **values):
    return Recipient(line, number, values)


def is_within(hours, zone, moment):
    """Look at the clock on the wall: the plain reading of the hours, which holds away from changes of clocks."""
    local = dt.datetime.fromtimestamp(moment, ZoneInfo(zone))
    start, end = hours.window.start, hours.window.end or dt.time(0)
    time = local.time()
    day = local.date()
    if end > start:
        opened = day if start <= time < end else None
    else:
        opened = day if time >= start else day - dt.timedelta(days=1) if time < end else None
    return opened is not None and list(Weekday)[opened.weekday()] in hours.window.days


def clocks_change_near(zone, moment):
    around = [dt.datetime.fromtimestamp(moment + hours * 3600, ZoneInfo(zone)) for hours in (-26, 0, 26)]
    return len({one.utcoffset() for one in around}) > 1


@given(local_hours(), zones, moments)
@example(LocalHours(start="02:30", end="03:30").as_hours(), "Europe/Prague", 1774746000.0)  # the hour that is skipped
@example(LocalHours(start="02:30", end="03:30").as_hours(), "Europe/Prague", 1792886400.0)  # the hour that comes twice
@example(LocalHours(start="22:00", end="02:00").as_hours(), "America/New_York", 1773039600.0)
@settings(deadline=None, max_examples=150)
def test_a_wave_opens_and_closes_within_the_hours(hours, zone, now):
    seating = seat([recipient(zone=zone)], Hours(hours.window, "zone"), Start(now, now))

    (wave,) = seating.waves
    opens_at = wave.opens_at or now
    assert opens_at >= now
    assert wave.closes_at > opens_at
    if not clocks_change_near(zone, opens_at):
        assert is_within(hours, zone, opens_at)
        assert is_within(hours, zone, wave.closes_at - 1)


@given(local_hours(), zones, moments)
@settings(deadline=None, max_examples=150)
def test_nobody_waits_longer_than_to_the_next_opening(hours, zone, now):
    seating = seat([recipient(zone=zone)], Hours(hours.window, "zone"), Start(now, now))

    opens_at = seating.waves[0].opens_at
    earlier = [now + step * 1800 for step in range(48)] if opens_at else []
    assert not any(
        is_within(hours, zone, moment)
        for moment in earlier
        if moment < opens_at and not clocks_change_near(zone, moment)
    )


@given(local_hours(), st.lists(zones, min_size=2, max_size=4, unique=True), moments)
@settings(deadline=None, max_examples=100)
def test_a_number_of_several_zones_is_written_to_in_the_hours_of_all_where_they_have_any_in_common(hours, several, now):
    span = next_span([Clock(tuple(several))], hours, now)

    windows = [window_of(hours.window.model_copy(update={"tz": zone})) for zone in several]
    middle = (span.opens + span.closes) // 2
    open_in = [window.next_open(middle) == middle for window in windows]
    assert all(open_in) or open_in[0]


@given(local_hours(), zones, moments)
@settings(deadline=None, max_examples=100)
def test_the_provider_is_told_hours_that_hold_for_the_wave(hours, zone, now):
    clock = Clock((zone,))
    told = window_of(DeliveryTime.model_validate(delivery_time_of(clock, hours, now)))

    span = next_span([clock], hours, now)

    assert told.next_span(int(now * 1000)) == span


def test_the_hours_told_for_several_zones_are_those_they_have_in_common():
    hours = LocalHours(start="09:00", end="17:00").as_hours()
    noon = dt.datetime(2026, 1, 14, 12, tzinfo=dt.UTC).timestamp()

    told = delivery_time_of(Clock(("Atlantic/Canary", "Europe/Madrid")), hours, noon)

    assert told == {"days": list(Weekday), "start": "09:00", "end": "16:00", "tz": "Atlantic/Canary"}


def test_those_whom_the_present_suits_go_at_once_and_the_others_in_waves():
    hours = LocalHours(start="09:00", end="20:00").as_hours()
    now = dt.datetime(2026, 1, 14, 9, 30, tzinfo=dt.UTC).timestamp()  # 10:30 in Prague, 04:30 in New York
    people = [recipient("420777000001"), recipient("12125551234"), recipient("447911123456"), recipient("13105551234")]

    seating = seat(people, hours, Start(now, now))

    opens = [None if one.opens_at is None else (one.opens_at - now) / 3600 for one in seating.waves]
    assert opens == [None, None, 4.5, 7.5]
    assert [len(group.recipients) for group in seating.groups] == [1, 1, 1, 1]
    assert seating.waves[0].closes_at < seating.waves[1].closes_at


def test_two_sides_of_the_date_line_have_the_same_hour_on_different_days():
    hours = LocalHours(start="09:00", end="10:00", days=["monday"]).as_hours()
    now = dt.datetime(2026, 1, 14, tzinfo=dt.UTC).timestamp()

    spans = [next_span([Clock((zone,))], hours, now) for zone in ON_BOTH_SIDES_OF_THE_DATE_LINE]

    assert spans[1].opens - spans[0].opens == 25 * 3600 * 1000


def test_a_start_in_the_future_is_waited_for():
    hours = LocalHours(start="09:00", end="20:00").as_hours()
    now = dt.datetime(2026, 1, 14, 9, tzinfo=dt.UTC).timestamp()

    seating = seat([recipient()], hours, Start(now, now + 3600))

    assert seating.waves[0].opens_at == now + 3600


def test_public_holidays_of_the_numbers_country_are_left_out():
    hours = LocalHours(start="09:00", end="20:00", holidays=True).as_hours()
    christmas_eve = dt.datetime(2026, 12, 24, 11, tzinfo=dt.UTC).timestamp()

    spans = {number: next_span([clock_of(recipient(number), hours)], hours, christmas_eve) for number in NUMBERS}

    assert [dt.datetime.fromtimestamp(span.opens / 1000, dt.UTC).day for span in spans.values()] == [27, 25, 24]


NUMBERS = ("420777000001", "81312345678", "447911123456")
"""Czech: holidays from the 24th to the 26th; Japanese: none, but closed for today; British: the 24th is none."""


def test_a_provider_that_is_late_is_kept_from_holidays_too():
    hours = LocalHours(start="09:00", end="20:00", holidays=True).as_hours()
    wednesday = dt.datetime(2026, 12, 23, 11, tzinfo=dt.UTC).timestamp()

    told = delivery_time_of(clock_of(recipient(), hours), hours, wednesday)

    assert told["days"] == ["monday", "tuesday", "wednesday", "sunday"]


def test_holidays_without_the_package_are_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "holidays", None)
    hours = LocalHours(holidays=True).as_hours()

    with pytest.raises(SettingsProblem, match=f"{sys.executable} -m pip install holidays"):
        next_span([Clock(("Asia/Tokyo",), "XX")], hours, YEAR)


def test_a_calling_code_of_several_countries_has_the_zones_of_the_numbers_own():
    zones = clock_of(recipient("77011234567"), LocalHours().as_hours()).zones

    assert "Asia/Almaty" in zones
    assert "Europe/Moscow" not in zones


def test_a_column_of_zones_overrules_the_number():
    hours = Hours(LocalHours().as_hours().window, "zone")

    assert clock_of(recipient(zone="Asia/Tokyo"), hours).zones == ("Asia/Tokyo",)
    assert clock_of(recipient(zone=""), hours).zones == ("Europe/Prague",)


def test_a_zone_that_is_none_leaves_the_line_out():
    hours = Hours(LocalHours().as_hours().window, "zone")

    seating = seat([recipient(zone="Prague", line=7), recipient(zone="Asia/Tokyo")], hours, Start(YEAR, YEAR))

    assert [one.line for one in seating.unreadable] == [7]
    assert len(seating.groups) == 1


def test_a_wave_that_missed_its_hours_has_them_again_when_all_its_clocks_suit():
    hours = LocalHours(start="09:00", end="10:00").as_hours()
    clocks = tuple(Clock((zone,)).as_stored() for zone in ("Europe/Prague", "Europe/Vienna"))
    late = dt.datetime(2026, 1, 14, 12, tzinfo=dt.UTC).timestamp()

    again = reopening(PlannedWave(3, late - 9000, late - 5400, clocks), hours, late)

    assert (again.number, again.clocks) == (3, clocks)
    assert dt.datetime.fromtimestamp(again.opens_at, dt.UTC) == dt.datetime(2026, 1, 15, 8, tzinfo=dt.UTC)
