"""``datetime``, ``delivery_time`` and the account's marketing window together, over the changes of clocks."""

from datetime import UTC, datetime, time, timedelta

import orjson
import pytest
import slow_schedule
from bench import OTHER_CZECH, Bench
from hypothesis import given, settings
from hypothesis import strategies as st

from interface.delivery_time import DeliveryTime, Weekday
from messaging_service.accounts import marketing
from messaging_service.accounts.marketing import Wanted
from messaging_service.clock import MINUTE, Milliseconds, iso, moment
from messaging_service.marketing import MarketingWindow
from messaging_service.schedule import Window, due_at, next_open_of_all, window_of

ZONES = (
    "Europe/Prague",
    "America/New_York",
    "America/Havana",  # changes its clocks at midnight
    "America/St_Johns",
    "Australia/Lord_Howe",  # half an hour of summer time
    "Africa/Casablanca",  # changes its clocks around Ramadan
    "Antarctica/Troll",  # two hours of summer time
    "Pacific/Apia",  # had no 30 December 2011
    "UTC",
)
NUMBERS = ("420601123456", "12125550123", "61291234567", "79011234567", "5355512345", "4930123456")
"""Some of countries with several time zones."""

clock_times = st.one_of(
    st.builds(time, st.integers(0, 3), st.sampled_from([0, 1, 29, 30, 31, 59])),
    st.builds(time, st.integers(0, 23), st.integers(0, 59)),
)


@st.composite
def windows(draw: st.DrawFn) -> DeliveryTime:
    start, end = draw(st.lists(clock_times, min_size=2, max_size=2, unique=True))
    days = draw(st.one_of(st.just(list(Weekday)), st.lists(st.sampled_from(Weekday), min_size=1, unique=True)))
    return DeliveryTime(days=days, start=f"{start:%H:%M}", end=f"{end:%H:%M}", tz=draw(st.sampled_from(ZONES)))


@st.composite
def moments(draw: st.DrawFn) -> Milliseconds:
    """Draw a moment, most of them near a change of some zone's clocks."""
    zone, year = draw(st.sampled_from(ZONES)), draw(st.sampled_from([2011, 2026, 2027]))
    changes = slow_schedule.changes_of_clocks(zone, year) or [datetime(year, 7, 1, tzinfo=UTC)]
    near = draw(st.sampled_from(changes)) + timedelta(minutes=draw(st.integers(-3 * 1440, 2 * 1440)))
    return moment(near) + draw(st.sampled_from([0, 1, 30_000, 59_999]))


@st.composite
def marketing_windows(draw: st.DrawFn) -> tuple[Window, ...]:
    start, end = draw(st.sampled_from([("08:00", "20:00"), ("00:00", "02:30"), ("22:00", "03:00"), ("02:15", "02:45")]))
    window = MarketingWindow.model_validate({"everywhere": {"start": start, "end": end}})
    return window.windows(draw(st.sampled_from(NUMBERS)))


@settings(max_examples=60, deadline=None)
@given(st.lists(windows(), max_size=3), moments())
def test_windows_open_together_when_the_clocks_on_all_walls_say_so(wanted, instant):
    together = [window_of(each) for each in wanted]

    opening = next_open_of_all(together, instant)

    assert opening == slow_schedule.next_open_of_all(together, instant)


@settings(max_examples=60, deadline=None)
@given(
    now=moments(),
    ahead=st.one_of(st.none(), st.integers(-5, 5).map(lambda n: n * 30_000), st.integers(0, 40 * 1440 * MINUTE)),
    wanted=st.one_of(st.none(), windows()),
    local=marketing_windows(),
)
def test_a_message_leaves_at_the_first_moment_that_everything_allows(now, ahead, wanted, local):
    asked = None if ahead is None else datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=now + ahead)
    earliest = now if ahead is None or ahead <= MINUTE else now + ahead
    of_message = [] if wanted is None else [window_of(wanted)]

    due = due_at(asked, wanted, now)  # as phase 1 says
    leaves = next_open_of_all([*of_message, *local], due)  # as phase 2 says when it is due

    first = slow_schedule.next_open_of_all(of_message, earliest)
    assert due == first
    assert leaves == slow_schedule.next_open_of_all([*of_message, *local], first)


@pytest.mark.parametrize(
    ("asked", "window", "leaves"),
    [
        ("2026-03-28T23:00Z", {"start": "02:00", "end": "09:00"}, "2026-03-29T06:00:00.000Z"),
        ("2026-03-28T19:00Z", {"start": "18:00", "end": "09:00"}, "2026-03-29T06:00:00.000Z"),
        ("2026-10-24T23:00Z", {"start": "02:00", "end": "09:00"}, "2026-10-25T07:00:00.000Z"),
        ("2026-10-25T19:30Z", {"start": "20:00", "end": "20:15"}, None),
    ],
    ids=["into summer time", "over the night into summer time", "out of summer time", "never together"],
)
def test_a_promotional_message_leaves_in_both_windows(bench: Bench, asked, window, leaves):
    with bench.store.writing() as connection:
        marketing.set_hours(connection, "", Wanted())
    (message_id,) = bench.accept(
        OTHER_CZECH, datetime=asked, delivery_time={**window, "tz": "Europe/Prague"}, tag="promotional"
    )

    while (message := bench.message(message_id)).due_at is not None and message.state == "accepted":
        bench.clock.move(max(0, message.due_at - bench.clock.now()))
        bench.decide()

    assert message.state == ("rejected" if leaves is None else "sending")
    assert leaves in {None, iso(bench.clock.now())}


def test_the_windows_of_a_message_are_kept_as_they_were_asked_for(bench_on_sqlite: Bench):
    window = {"days": ["monday"], "start": "08:00", "end": "20:00", "tz": "Europe/Prague"}
    (message_id,) = bench_on_sqlite.accept(OTHER_CZECH, delivery_time=window)

    kept = bench_on_sqlite.message(message_id).content.delivery_time

    assert DeliveryTime.model_validate(orjson.loads(kept)) == DeliveryTime.model_validate(window)
