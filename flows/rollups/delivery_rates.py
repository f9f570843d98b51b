"""When a delivery rate has fallen below what its own history makes likely. Pure.

The rule (docs/statistics.md): the deliveries of a date are taken for beta-binomial, that is, each date has a rate
of its own around the usual one. How far dates lie apart is estimated from the history, by the analysis of variance
for proportions, and never taken to be nothing. A rate has dropped when so few deliveries or fewer would come by
chance less often than `Rule.chance`, and the fall is worth telling.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

MOST_CORRELATED = 0.99


@dataclass(frozen=True)
class Counted:
    """How many messages of one date were delivered, of those whose fate is known."""

    rated: int
    delivered: int


@dataclass(frozen=True)
class Rule:
    """What a judgement needs: how often it may be wrong, and below which numbers none is made.

    ``chance`` is that of one judgement to be wrong; who makes many at a time divides it among them (Bonferroni).
    ``closest_dates`` is the least correlation of a date's messages: with 0.002, dates of a rate of 95 % lie one
    percentage point apart even if the history's lay closer.
    """

    chance: float = 0.001
    fewest_messages: int = 100
    fewest_dates: int = 7
    fewest_history_messages: int = 500
    smallest_drop: float = 0.02
    closest_dates: float = 0.002


@dataclass(frozen=True)
class Drop:
    """A rate that fell: ``rate`` of ``messages``, where ``usual`` was to be expected and ``lowest_likely`` likely."""

    messages: int
    rate: float
    usual: float
    lowest_likely: float
    chance: float


def dropped(history: Sequence[Counted], today: Counted, rule: Rule) -> Drop | None:
    """Judge a date by the dates before it; ``None`` when it is as usual, or when there is too little to judge by."""
    known = [one for one in history if one.rated > 0]
    messages = sum(one.rated for one in known)
    if today.rated < rule.fewest_messages or messages < rule.fewest_history_messages or len(known) < rule.fewest_dates:
        return None
    usual = sum(one.delivered for one in known) / messages
    rate = today.delivered / today.rated
    if usual - rate < rule.smallest_drop:
        return None
    expected = expectation(known, rule.closest_dates)
    chance = at_most(today.delivered, today.rated, expected)
    if chance >= rule.chance:
        return None
    lowest = _lowest_likely(today.rated, expected, rule.chance) / today.rated
    return Drop(today.rated, rate, usual, lowest, chance)


@dataclass(frozen=True)
class Beta:
    """The distribution of a date's rate."""

    a: float
    b: float


def expectation(history: Sequence[Counted], closest: float) -> Beta:
    """Return how the next date's rate is distributed: as the history's dates, and as sure as their number makes it."""
    messages = sum(one.rated for one in history)
    usual = (sum(one.delivered for one in history) + 1) / (messages + 2)  # neither 0 nor 1 is ever certain
    estimated = correlation_within_dates(history) * _unsureness(len(history))
    correlation = min(MOST_CORRELATED, max(closest, estimated))
    # How many messages that don't share their fate would tell as much about the usual rate.
    independent = sum(one.rated / (1 + (one.rated - 1) * correlation) for one in history)
    variance = correlation + (1 - correlation) / (independent + 2)  # in units of rate * (1 - rate)
    strength = 1 / variance - 1
    return Beta(usual * strength, (1 - usual) * strength)


def correlation_within_dates(history: Sequence[Counted]) -> float:
    """Estimate how much messages of one date share their fate, 0 to 1 (the ANOVA estimator for proportions)."""
    messages = sum(one.rated for one in history)
    dates = len(history)
    if dates < 2 or messages <= dates:  # noqa: PLR2004  (nothing to compare)
        return 0.0
    usual = sum(one.delivered for one in history) / messages
    rates = [(one.rated, one.delivered / one.rated) for one in history]
    between = sum(rated * (rate - usual) ** 2 for rated, rate in rates) / (dates - 1)
    within = sum(rated * rate * (1 - rate) for rated, rate in rates) / (messages - dates)
    size = (messages - sum(rated**2 for rated, _ in rates) / messages) / (dates - 1)
    total = between + (size - 1) * within
    return min(MOST_CORRELATED, max(0.0, (between - within) / total)) if total > 0 else 0.0


def at_most(delivered: int, messages: int, expected: Beta) -> float:
    """Return the probability of at most so many deliveries (the beta-binomial distribution function)."""
    a, b = expected.a, expected.b
    term = math.exp(
        math.lgamma(messages + 1) - math.lgamma(delivered + 1) - math.lgamma(messages - delivered + 1)
        + _log_beta(delivered + a, messages - delivered + b) - _log_beta(a, b)
    )  # fmt: skip
    total = term
    for k in range(delivered, 0, -1):
        step = k / (messages - k + 1) * (messages - k + b) / (k - 1 + a)
        term *= step
        total += term
        if step < 1 and term < total * 1e-15:
            break
    return min(1.0, total)


def _lowest_likely(messages: int, expected: Beta, chance: float) -> int:
    """Return the smallest number of deliveries that would not be taken for a drop."""
    low, high = 0, messages
    while low < high:
        middle = (low + high) // 2
        if at_most(middle, messages, expected) >= chance:
            high = middle
        else:
            low = middle + 1
    return low


def _unsureness(dates: int) -> float:
    """Allow for how badly few dates tell how far dates lie apart."""
    return 1 + 12 / dates  # keeps false alarms at the chance asked for, from 7 dates up; measured in its test


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
