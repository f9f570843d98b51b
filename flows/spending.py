"""How long credit lasts: from balances over time to a rate, days left, and whether to warn. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

DAY = 24 * 3600
HOUR = 3600


class Level(StrEnum):
    """How much is left, from the best to the worst; also the last part of the event's name."""

    ENOUGH = "enough"
    LOW = "low"
    CRITICAL = "critical"
    EMPTY = "empty"

    @property
    def rank(self) -> int:
        """0 for the best."""
        return list(Level).index(self)


@dataclass(frozen=True)
class Balance:
    """What a wallet held: ``amount`` in millionths of a unit, ``read_at`` in Unix seconds; oldest first in lists."""

    read_at: float
    amount: int
    currency: str
    level: Level = Level.ENOUGH
    warned_at: float | None = None


@dataclass(frozen=True)
class Limits:
    """When credit counts as low: days left, and an amount (millionths) below which it always does."""

    low_days: float
    critical_days: float
    low_amount: int = 0


@dataclass(frozen=True)
class Forecast:
    """``a_day`` is spending in millionths a day, ``days_left`` how long that lasts; None where nothing is known."""

    a_day: int | None
    days_left: float | None
    level: Level


def forecast(history: Sequence[Balance], now: Balance, limits: Limits) -> Forecast:
    """Say how long credit lasts at the rate of the balances of ``history`` up to ``now``.

    Only what went down counts, so that paying in doesn't hide what was spent; what was refunded counts as spent.
    """
    balances = [one for one in history if one.currency == now.currency] + [now]
    elapsed = now.read_at - balances[0].read_at
    if elapsed < HOUR:
        return Forecast(None, None, _level(now.amount, None, limits))
    spent = sum(max(0, before.amount - after.amount) for before, after in pairwise(balances))
    a_day = round(spent * DAY / elapsed)
    days_left = now.amount / a_day if a_day > 0 else None
    return Forecast(a_day, days_left, _level(now.amount, days_left, limits))


def is_to_warn(history: Sequence[Balance], level: Level, now: float, remind_after: float) -> bool:
    """Whether to warn: of a level worse than at the last warning since there was enough, or again after a while."""
    if level is Level.ENOUGH:
        return False
    warned = last_warning(history)
    return warned is None or level.rank > warned.level.rank or now - (warned.warned_at or 0.0) >= remind_after


def last_warning(history: Sequence[Balance]) -> Balance | None:
    """Return the balance of the last warning, None when there was enough since."""
    for one in reversed(history):
        if one.level is Level.ENOUGH:
            return None
        if one.warned_at is not None:
            return one
    return None


def _level(amount: int, days_left: float | None, limits: Limits) -> Level:
    if amount <= 0:
        return Level.EMPTY
    if days_left is not None and days_left < limits.critical_days:
        return Level.CRITICAL
    if amount < limits.low_amount or (days_left is not None and days_left < limits.low_days):
        return Level.LOW
    return Level.ENOUGH
