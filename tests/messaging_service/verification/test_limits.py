"""Limits hold in every span of their window, not only from one full hour to the next. Pure."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from messaging_service.clock import HOUR, MINUTE, SECOND
from messaging_service.verification.guard import Guard, Subjects, Tally, started
from messaging_service.verification.limits import SLICES, Limit, Refused, added, check, times

FIVE_AN_HOUR = Limit("number", 5, HOUR)
GUARD = Guard(
    (
        (Limit("account", 60, MINUTE),),
        (FIVE_AN_HOUR, Limit("number-pause", 1, 30 * SECOND)),
        (Limit("country", 0, HOUR),),
        (Limit("prefix", 0, HOUR),),
    ),
    pumping=Limit("pumping", 50, HOUR),
    verified_percent=35,
)
NOW = 10 * HOUR


@given(st.lists(st.integers(0, 20 * MINUTE), min_size=1, max_size=60))
def test_no_span_of_the_window_holds_more_than_the_quota(gaps):
    recent, passed, now = (), [], NOW
    for gap in gaps:
        now += gap
        if check(recent, FIVE_AN_HOUR, now) is None:
            recent = added(recent, now, HOUR)
            passed.append(now)

    assert all(sum(at - HOUR < other <= at for other in passed) <= 5 for at in passed)


@given(st.lists(st.integers(0, 20 * MINUTE), min_size=1, max_size=60))
def test_whoever_waits_as_long_as_told_may_go_on_and_not_before(gaps):
    recent, now = (), NOW
    for gap in gaps:
        now += gap
        refused = check(recent, FIVE_AN_HOUR, now)
        if refused is None:
            recent = added(recent, now, HOUR)
        else:
            assert check(recent, FIVE_AN_HOUR, now + refused.wait - 1) is not None
            assert check(recent, FIVE_AN_HOUR, now + refused.wait) is None


def test_many_moments_take_little_room_and_are_all_counted():
    recent, limit = (), Limit("country", 1000, HOUR)
    for index in range(1000):
        recent = added(recent, NOW + index * SECOND, HOUR)

    assert len(recent) <= 2 * SLICES
    assert times(recent, NOW - 1) == 1000
    assert check(recent, limit, NOW + 1000 * SECOND) is not None


def test_a_quota_of_nothing_is_no_limit():
    recent = tuple((NOW, 1) for _ in range(100))

    assert check(recent, Limit("account", 0, MINUTE), NOW) is None


def test_the_limit_with_the_longest_wait_is_told():
    number = Tally(recent=tuple((NOW - offset * MINUTE, 1) for offset in (50, 40, 30, 20, 0)))

    refused = GUARD.refusal((Tally(), number, Tally(), Tally()), NOW)

    assert refused == Refused(FIVE_AN_HOUR, 10 * MINUTE)


@pytest.mark.parametrize(("starts", "is_suspicious"), [(49, False), (50, True)])
def test_a_prefix_is_looked_at_from_fifty_starts_on(starts, is_suspicious):
    prefix = Tally()
    for index in range(starts):
        prefix = started(prefix, NOW - index)

    assert GUARD.is_suspicious(prefix, NOW) is is_suspicious


@pytest.mark.parametrize(("verified", "is_refused"), [(0, True), (17, True), (18, False), (50, False)])
def test_a_prefix_is_refused_for_an_hour_while_35_percent_or_fewer_are_verified(verified, is_refused):
    prefix = Tally(recent=tuple((NOW - index, 1) for index in range(50, 0, -1)))

    judged = GUARD.judged(prefix, verified, NOW)

    assert judged.refused_until == (NOW + HOUR if is_refused else 0)
    assert not GUARD.is_suspicious(judged, NOW + SECOND)


def test_number_and_prefix_count_whichever_account_starts():
    first, second = (Subjects.of(account, "420777123456", "CZ") for account in (1, 2))

    assert (first.number, first.prefix) == (second.number, second.prefix)
    assert first.prefix.name == "42077712"
    assert first.account != second.account
    assert first.country != second.country
