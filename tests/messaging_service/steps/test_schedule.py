"""Step 3: a message is due now, at its ``datetime``, or when its window opens next, on the recipient's own clocks."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
import slow_schedule
from hypothesis import given, settings
from hypothesis import strategies as st

from interface.delivery_time import DeliveryTime
from messaging_service.clock import moment
from messaging_service.schedule import EVERYTHING_ELSE, PRIORITY, TRANSACTIONAL, Window, due_at, queue_of

ZONES = (
    "Europe/Prague",
    "America/New_York",
    "Australia/Lord_Howe",  # half an hour of summer time
    "Pacific/Apia",  # had no 30 December 2011
    "Asia/Kathmandu",
    "Africa/Casablanca",  # changes its clocks around Ramadan
    "America/St_Johns",
    "America/Havana",  # changes its clocks at midnight
    "Asia/Beirut",
    "Antarctica/Troll",  # two hours of summer time
    "UTC",
)
NOW = moment(datetime(2026, 3, 2, 10, tzinfo=UTC))

times = st.one_of(
    st.builds(time, st.integers(0, 3), st.sampled_from([0, 1, 15, 29, 30, 31, 45, 59])),
    st.builds(time, st.integers(0, 23), st.integers(0, 59)),
)
weekdays = st.one_of(st.just(frozenset(range(7))), st.frozensets(st.integers(0, 6), min_size=1))


@st.composite
def windows(draw, zone):
    start, end = draw(st.lists(times, min_size=2, max_size=2, unique=True))
    return Window(draw(weekdays), start, end, ZoneInfo(zone))


@st.composite
def instants(draw, zone):
    """Draw moments near the changes of a zone's clocks, where it has any, or anywhere."""
    year = draw(st.sampled_from([2011, 2026, 2027]))
    changes = slow_schedule.changes_of_clocks(zone, year) or [datetime(year, 7, 1, tzinfo=UTC)]
    near = draw(st.sampled_from(changes)) + timedelta(minutes=draw(st.integers(-3 * 1440, 2 * 1440)))
    return moment(near) + draw(st.sampled_from([0, 1, 30_000, 59_999]))


@pytest.mark.parametrize("zone", ZONES)
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_a_window_opens_when_the_clock_on_the_wall_says_so(zone, data):
    window = data.draw(windows(zone))
    instant = data.draw(instants(zone))

    opens = window.next_open(instant)

    assert opens == slow_schedule.next_open(window, instant)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(ZONES).flatmap(lambda zone: st.tuples(windows(zone), instants(zone))))
def test_a_window_that_has_opened_is_open(window_and_instant):
    window, instant = window_and_instant

    opens = window.next_open(instant)

    assert opens >= instant
    assert window.next_open(opens) == opens


@pytest.mark.parametrize(
    ("asked", "start", "end", "opens"),
    [
        pytest.param("2026-03-29T00:00", "02:30", "05:00", "2026-03-29T01:00", id="a time that does not exist"),
        pytest.param("2026-03-29T00:00", "01:00", "02:30", "2026-03-29T00:00", id="closes at a time that doesn't"),
        pytest.param("2026-03-29T00:00", "02:15", "02:45", "2026-03-30T00:15", id="a window that does not exist"),
        pytest.param("2026-10-24T22:00", "02:30", "05:00", "2026-10-25T00:30", id="the first of two"),
        pytest.param("2026-10-25T01:15", "02:30", "05:00", "2026-10-25T01:15", id="open across the change"),
        pytest.param("2026-03-02T22:30", "22:00", "06:00", "2026-03-02T22:30", id="over midnight, before it"),
        pytest.param("2026-03-03T02:00", "22:00", "06:00", "2026-03-03T02:00", id="over midnight, after it"),
        pytest.param("2026-03-03T05:00", "22:00", "06:00", "2026-03-03T21:00", id="the end is exclusive"),
        pytest.param("2026-03-02T07:59", "09:00", "17:00", "2026-03-02T08:00", id="a minute early"),
    ],
)
def test_windows_in_prague(asked, start, end, opens):
    window = DeliveryTime(start=start, end=end, tz="Europe/Prague")

    due = due_at(_utc(asked), window, moment(_utc("2026-01-01T00:00")))

    assert due == moment(_utc(opens))


def test_a_window_over_midnight_belongs_to_the_day_on_which_it_starts():
    window = DeliveryTime(days=["friday"], start="22:00", end="06:00")
    saturday_night, sunday_night = _utc("2026-03-07T03:00"), _utc("2026-03-08T03:00")

    due = [due_at(asked, window, NOW) for asked in (saturday_night, sunday_night)]

    assert due == [moment(saturday_night), moment(_utc("2026-03-13T22:00"))]


def test_a_day_that_a_country_skipped_has_no_window():
    window = DeliveryTime(days=["friday"], start="09:00", end="17:00", tz="Pacific/Apia")

    due = due_at(_utc("2011-12-29T22:00"), window, moment(_utc("2011-12-01T00:00")))

    assert due == moment(datetime(2012, 1, 6, 9, tzinfo=ZoneInfo("Pacific/Apia")))


@given(st.integers(-10_000_000, 60_000))
def test_up_to_a_minute_ahead_is_now(ahead):
    wanted = datetime.fromtimestamp((NOW + ahead) / 1000, UTC)

    assert due_at(wanted, None, NOW) == NOW


@given(st.integers(60_001, 10**12))
def test_more_than_a_minute_ahead_waits(ahead):
    wanted = datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=NOW + ahead)

    assert due_at(wanted, None, NOW) == NOW + ahead


@pytest.mark.parametrize("tz", ["UTC", "Asia/Kathmandu", "America/New_York"])
def test_the_last_days_of_the_calendar_are_far_away_but_no_error(tz):
    wanted = datetime(9999, 12, 31, 23, 59, tzinfo=UTC)
    window = DeliveryTime(days=["monday"], start="09:00", end="10:00", tz=tz)

    due = due_at(wanted, window, NOW)

    assert due >= moment(wanted)


def test_a_moment_long_past_is_now():
    assert due_at(datetime(1, 1, 1, tzinfo=UTC), None, NOW) == NOW


@pytest.mark.parametrize(
    ("tags", "queue"),
    [
        ("priority", PRIORITY),
        ("priority,transactional", PRIORITY),
        ("orders,transactional", TRANSACTIONAL),
        ("promotional", EVERYTHING_ELSE),
        ("high-priority", EVERYTHING_ELSE),
    ],
)
def test_the_tags_choose_the_queue(tags, queue):
    assert queue_of(tags) == queue


def _utc(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
