"""Who is written to when: whatever the zone, the days and the changes of clocks, nobody outside their hours."""

import datetime as dt
import sys

import pytest
import slow_schedule
from clocks_on_walls import (
    MINUTE,
    ON_BOTH_SIDES_OF_THE_DATE_LINE,
    WEEK,
    YEAR,
    clocks,
    local_hours,
    minutes_that_suit,
    open_minutes,
    window_in,
    zones_and_moments,
)
from hypothesis import example, given, settings

from flows.ledger import PlannedWave
from flows.parameters import LocalHours
from flows.planning.clocks import Clock, Hours, clock_of, next_span
from flows.planning.told_hours import delivery_time_of
from flows.planning.waves import Start, reopening, seat, told_again
from flows.problems import SettingsProblem
from flows.recipients.reading import Recipient
from interface.delivery_time import DeliveryTime, Weekday
from interface.windows import window_of

CHRISTMAS_DAY = dt.datetime(2026, 12, 25, tzinfo=dt.UTC).timestamp() + 12 * 3600
DENVER_AND_PHOENIX = Clock(("America/Phoenix", "America/Denver"))
FRIDAY_BEFORE_DENVERS_CHANGE = dt.datetime(2026, 3, 6, 17, tzinfo=dt.UTC).timestamp()


def recipient(number="420777000001", line=2, **values):
    return Recipient(line, number, values)


@given(local_hours(), zones_and_moments)
@example(LocalHours(start="02:30", end="03:30").as_hours(), ("Europe/Prague", 1774746000.0))  # the hour skipped
@example(LocalHours(start="02:30", end="03:30").as_hours(), ("Europe/Prague", 1792886400.0))  # the hour come twice
@example(LocalHours(start="22:00", end="02:00").as_hours(), ("America/New_York", 1773039600.0))
@settings(deadline=None, max_examples=150)
def test_a_wave_opens_and_closes_within_the_hours(hours, where):
    zone, now = where
    seating = seat([recipient(zone=zone)], Hours(hours.window, "zone"), Start(now, now))

    (wave,) = seating.waves
    opens_at = wave.opens_at or now
    suits = open_minutes(window_in(zone, hours), int(opens_at * 1000))
    assert opens_at >= now
    assert set(range(int(opens_at // 60), int(wave.closes_at // 60))) <= suits
    assert wave.closes_at > opens_at


@given(local_hours(), zones_and_moments)
@settings(deadline=None, max_examples=150)
def test_nobody_waits_longer_than_to_the_next_opening(hours, where):
    zone, now = where
    seating = seat([recipient(zone=zone)], Hours(hours.window, "zone"), Start(now, now))

    opens_at = seating.waves[0].opens_at or now
    assert int(opens_at * 1000) == slow_schedule.next_open(window_in(zone, hours), int(now * 1000))


@given(local_hours(), clocks())
@settings(deadline=None, max_examples=150)
def test_a_number_of_several_zones_is_written_to_in_the_hours_of_all_where_they_have_any_in_common(hours, where):
    clock, now = where
    span = next_span([clock], hours, now)

    opens, suits = minutes_that_suit(clock, hours, now)
    assert max(span.opens, int(now * 1000)) == opens
    assert set(range(opens // MINUTE, span.closes // MINUTE)) <= suits


@given(local_hours(), clocks())
@example(LocalHours(start="09:00", end="17:00").as_hours(), (DENVER_AND_PHOENIX, FRIDAY_BEFORE_DENVERS_CHANGE))
@example(LocalHours(start="00:00", end="24:00").as_hours(), (Clock(("Europe/Prague",), "CZ"), 1798023600.0))
@example(LocalHours(start="00:00", end="24:00").as_hours(), (Clock(("Asia/Beirut", "Asia/Tokyo")), 1774735200.0))
@example(LocalHours(days=["friday"]).as_hours(), (Clock(("Pacific/Pago_Pago",), "CZ"), CHRISTMAS_DAY))  # 3 weeks off
@settings(deadline=None, max_examples=150)
def test_the_provider_is_told_hours_that_hold_for_the_wave(hours, where):
    clock, now = where
    told = window_of(DeliveryTime.model_validate(delivery_time_of(clock, hours, now)))

    opens, suits = minutes_that_suit(clock, hours, now)
    first = next_span([clock], hours, now)

    week = range(opens // MINUTE, first.opens // MINUTE + WEEK)
    assert slow_schedule.next_open(told, opens) == opens
    assert open_minutes(told, opens).intersection(week) <= suits


@given(local_hours(), clocks())
@settings(deadline=None, max_examples=50)
def test_of_a_wave_that_reopens_the_provider_is_told_hours_that_hold_then(hours, where):
    clock, now = where
    before = PlannedWave(1, None, now - 1, (clock.as_stored(),))

    reopened = reopening(before, hours, now)

    is_plain = len(clock.zones) == 1 and clock.region is None
    anew = None if is_plain else delivery_time_of(clock, hours, reopened.opens_at or now)
    assert told_again(reopened, hours, now) == anew


def test_of_a_wave_of_several_clocks_the_provider_is_told_hours_that_suit_them_all():
    hours = LocalHours(start="09:00", end="17:00", holidays=True).as_hours()
    wednesday = dt.datetime(2026, 12, 23, 7, tzinfo=dt.UTC).timestamp()
    both = (Clock(("Europe/Prague",), "CZ").as_stored(), Clock(("Europe/Helsinki",), "FI").as_stored())

    reopened = reopening(PlannedWave(1, None, wednesday - 1, both), hours, wednesday)

    assert told_again(reopened, hours, wednesday) == {
        "days": ["monday", "tuesday", "wednesday", "sunday"],
        "start": "09:00",
        "end": "16:00",
        "tz": "Europe/Prague",
    }


def test_a_wave_whose_clocks_have_no_hour_in_common_any_more_keeps_the_hours_that_it_had():
    hours = LocalHours(start="09:00", end="10:00", holidays=True).as_hours()
    wave = PlannedWave(1, None, YEAR, (Clock(("Europe/Prague",), "CZ").as_stored(), Clock(("Asia/Tokyo",)).as_stored()))

    assert told_again(wave, hours, YEAR) is None


def test_hours_of_all_day_leave_holidays_out_too():
    hours = LocalHours(start="00:00", end="24:00", holidays=True).as_hours()
    wednesday = dt.datetime(2026, 12, 23, 11, tzinfo=dt.UTC).timestamp()

    told = delivery_time_of(clock_of(recipient(), hours), hours, wednesday)

    assert told == {
        "days": ["monday", "tuesday", "wednesday", "sunday"],
        "start": "00:00",
        "end": "24:00",
        "tz": "Europe/Prague",
    }


def test_hours_of_all_day_in_several_zones_are_those_of_all_the_days_allowed():
    hours = LocalHours(start="00:00", end="24:00", days=["monday", "tuesday"]).as_hours()
    monday = dt.datetime(2026, 1, 12, 12, tzinfo=dt.UTC).timestamp()

    told = delivery_time_of(Clock(("Atlantic/Canary", "Europe/Madrid")), hours, monday)

    assert told == {"days": ["monday", "tuesday"], "start": "00:00", "end": "23:00", "tz": "Atlantic/Canary"}


def test_hours_told_for_several_zones_hold_over_a_change_of_the_clocks_of_one():
    hours = LocalHours(start="09:00", end="17:00").as_hours()

    told = delivery_time_of(DENVER_AND_PHOENIX, hours, FRIDAY_BEFORE_DENVERS_CHANGE)

    assert told == {"days": list(Weekday), "start": "09:00", "end": "16:00", "tz": "America/Phoenix"}


def test_hours_told_hold_over_a_change_of_the_clocks_of_the_first_zone_too():
    hours = LocalHours(start="09:00", end="17:00").as_hours()
    clock = Clock(("America/Denver", "America/Phoenix"))

    told = delivery_time_of(clock, hours, FRIDAY_BEFORE_DENVERS_CHANGE - 3600)

    assert told == {"days": list(Weekday), "start": "16:00", "end": "23:00", "tz": "UTC"}


def test_who_is_written_to_in_an_hour_that_is_lost_by_a_change_of_clocks_is_still_written_to_in_it():
    hours = LocalHours(start="09:00", end="17:00").as_hours()
    half_past_four = FRIDAY_BEFORE_DENVERS_CHANGE + 6.5 * 3600

    told = delivery_time_of(DENVER_AND_PHOENIX, hours, half_past_four)

    assert told == {"days": ["friday", "saturday"], "start": "09:00", "end": "17:00", "tz": "America/Phoenix"}


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
