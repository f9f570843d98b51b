import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from flows.rollups.periods import (
    DATES_A_CALL,
    DateRange,
    LastDays,
    ListedDates,
    calls_of,
    dates_of,
    dates_to_judge,
    dates_to_read,
    period_before,
)

TODAY = dt.date(2026, 3, 10)
some_dates = st.lists(st.dates(dt.date(2020, 1, 1), TODAY), min_size=1, max_size=40).map(
    lambda dates: tuple(sorted(set(dates)))
)


def march(*days):
    return tuple(dt.date(2026, 3, day) for day in days)


@pytest.mark.parametrize(
    ("wanted", "dates"),
    [
        (LastDays(last_days=3), march(8, 9, 10)),
        (DateRange(first=march(2)[0], last=march(4)[0]), march(2, 3, 4)),
        (ListedDates(dates=march(9, 1, 9)), march(1, 9)),
    ],
)
def test_dates_are_in_order_and_each_once(wanted, dates):
    assert dates_of(wanted, TODAY) == dates


def test_a_range_that_ends_before_it_begins_is_refused():
    with pytest.raises(ValidationError, match="must follow the first"):
        DateRange(first=march(2)[0], last=march(1)[0])


@given(some_dates)
def test_the_period_before_is_as_long_and_ends_where_the_period_begins(dates):
    before = period_before(dates)

    assert len(before) == len(dates)
    assert before[-1] + dt.timedelta(days=1) == dates[0]


def test_only_settled_and_recent_dates_are_judged():
    assert dates_to_judge(march(*range(1, 11)), TODAY) == march(2, 3, 4, 5, 6, 7, 8)


def test_a_daily_run_for_today_judges_the_newest_settled_date():
    assert dates_to_judge(march(10), TODAY) == march(8)


def test_old_dates_are_no_news():
    assert dates_to_judge((dt.date(2025, 1, 1),), TODAY) == ()


@given(some_dates)
def test_all_that_a_report_and_its_judgements_need_is_read_in_full_calls(dates):
    needed = set(dates) | set(period_before(dates))

    calls = list(calls_of(dates_to_read(dates, TODAY)))

    assert needed <= {one for call in calls for one in call}
    assert all(len(call) == DATES_A_CALL for call in calls[:-1])
