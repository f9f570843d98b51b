"""The rule by which a delivery rate has dropped (docs/statistics.md)."""

import math
import random
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from flows.rollups.delivery_rates import Beta, Counted, Rule, at_most, correlation_within_dates, dropped, expectation

RULE = Rule()
STEADY = [Counted(1000, 950 + day % 5) for day in range(14)]


@st.composite
def dates(draw):
    rated = draw(st.integers(1, 5000))
    return Counted(rated, draw(st.integers(0, rated)))


@st.composite
def good_dates(draw):
    rated = draw(st.integers(200, 5000))
    return Counted(rated, draw(st.integers(rated * 9 // 10, rated)))


histories = st.lists(dates(), min_size=1, max_size=30)
good_histories = st.lists(good_dates(), min_size=7, max_size=28)
bad_dates = st.integers(200, 5000).flatmap(lambda rated: st.builds(Counted, st.just(rated), st.integers(0, rated // 2)))


def test_a_clear_fall_is_a_drop_that_says_what_was_likely():
    drop = dropped(STEADY, Counted(1000, 800), RULE)

    assert (drop.messages, drop.rate, round(drop.usual, 3)) == (1000, 0.8, 0.952)
    assert 0.85 < drop.lowest_likely < 0.95
    assert drop.chance < RULE.chance


@pytest.mark.parametrize(
    ("history", "today"),
    [
        (STEADY, Counted(99, 0)),
        (STEADY[:6], Counted(1000, 0)),
        ([Counted(70, 70)] * 7, Counted(1000, 0)),
        ([Counted(0, 0)] * 30, Counted(1000, 0)),
        ([], Counted(1000, 0)),
    ],
)
def test_too_little_is_not_judged(history, today):
    assert dropped(history, today, RULE) is None


def test_a_small_fall_of_very_many_messages_is_not_worth_telling():
    history = [Counted(1_000_000, 950_000)] * 28

    assert dropped(history, Counted(1_000_000, 935_000), RULE) is None
    assert dropped(history, Counted(1_000_000, 700_000), RULE) is not None


def test_a_rate_that_varies_much_by_itself_is_allowed_to():
    steady = [Counted(1000, 850)] * 14
    varying = [Counted(1000, 700 if day % 2 else 1000) for day in range(14)]

    assert dropped(steady, Counted(1000, 700), RULE) is not None
    assert dropped(varying, Counted(1000, 700), RULE) is None


@given(histories, dates())
def test_what_is_no_worse_than_the_history_is_never_a_drop(history, today):
    usual = sum(one.delivered for one in history) / sum(one.rated for one in history)
    assume(today.delivered / today.rated >= usual)

    assert dropped(history, today, RULE) is None


@given(good_histories, bad_dates, st.integers(1, 100))
def test_fewer_deliveries_than_a_drop_are_a_drop(history, today, fewer):
    assume(dropped(history, today, RULE) is not None)
    worse = replace(today, delivered=max(0, today.delivered - fewer))

    assert dropped(history, worse, RULE) is not None


@given(histories, dates(), st.randoms())
def test_the_order_of_the_history_does_not_matter(history, today, shuffler):
    shuffled = list(history)
    shuffler.shuffle(shuffled)

    assert (dropped(shuffled, today, RULE) is None) == (dropped(history, today, RULE) is None)


@given(good_histories, bad_dates)
def test_what_is_told_to_be_likely_lies_between_the_rate_and_the_usual_one(history, today):
    drop = dropped(history, today, RULE)
    assume(drop is not None)  # few dates that lie far apart make even this likely

    assert drop.rate < drop.lowest_likely <= drop.usual


@given(histories)
def test_expectations_are_possible_rates(history):
    expected = expectation(history, RULE.closest_dates)

    assert 0 <= correlation_within_dates(history) < 1
    assert expected.a > 0
    assert expected.b > 0


@given(st.integers(1, 60), st.floats(0.05, 500), st.floats(0.05, 500))
def test_the_distribution_is_the_beta_binomial_one(messages, a, b):
    def density(k):
        return math.comb(messages, k) * math.exp(
            math.lgamma(k + a) + math.lgamma(messages - k + b) - math.lgamma(messages + a + b)
            - math.lgamma(a) - math.lgamma(b) + math.lgamma(a + b)
        )  # fmt: skip

    expected = [sum(density(k) for k in range(most + 1)) for most in range(messages + 1)]

    assert [at_most(most, messages, Beta(a, b)) for most in range(messages + 1)] == pytest.approx(expected, abs=1e-9)
    assert expected[-1] == pytest.approx(1)


@pytest.mark.parametrize("number_of_dates", [7, 14, 28])
@pytest.mark.parametrize("correlation", [0.001, 0.01, 0.03])
def test_false_alarms_are_as_rare_as_asked_for(number_of_dates, correlation):
    chance = random.Random(number_of_dates * correlation)
    rule = Rule(chance=0.02, smallest_drop=0, fewest_history_messages=1)
    cases = 400

    alarms = sum(dropped(*_as_usual(chance, number_of_dates, correlation), rule) is not None for _ in range(cases))

    assert alarms <= cases * rule.chance * 2


def _as_usual(chance, number_of_dates, correlation):
    """A history and a date that are drawn alike: each date has a rate of its own around the usual one."""
    usual, strength = chance.choice([0.6, 0.9, 0.97]), 1 / correlation - 1

    def date():
        rate = chance.betavariate(usual * strength, (1 - usual) * strength)
        return Counted(120, sum(chance.random() < rate for _ in range(120)))

    return [date() for _ in range(number_of_dates)], date()
