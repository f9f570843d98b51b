"""Which UTC dates a roll-up is about, which came before them, and how they fit into calls. Pure."""

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

DATES_A_CALL = 60
"""Dates that one GET /requests names: 660 characters of its address, far below what servers and proxies take."""

HISTORY_DAYS = 28
SETTLED_AFTER_DAYS = 2
"""A date is settled, that is, late receipts are rare, when it ended at least a day ago."""
RECENT_DAYS = 7

DAY = dt.timedelta(days=1)
LONGEST_DAYS = 3660


class LastDays(BaseModel):
    """So many days up to and including today (UTC)."""

    model_config = ConfigDict(frozen=True, extra="forbid", title="The last days")

    last_days: Annotated[int, Field(ge=1, le=LONGEST_DAYS)] = Field(
        default=7, title="Days", description="How many, today (UTC) included."
    )


class DateRange(BaseModel):
    """All dates from the first to the last."""

    model_config = ConfigDict(frozen=True, extra="forbid", title="From a date to a date")

    first: dt.date = Field(title="First date", description="A UTC date.")
    last: dt.date = Field(title="Last date", description="A UTC date; it belongs to the range.")

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if not dt.timedelta(0) <= self.last - self.first < DAY * LONGEST_DAYS:
            raise ValueError(f"The last date must follow the first, within {LONGEST_DAYS} days.")
        return self


class ListedDates(BaseModel):
    """Dates one by one."""

    model_config = ConfigDict(frozen=True, extra="forbid", title="Single dates")

    dates: Annotated[tuple[dt.date, ...], Field(min_length=1, max_length=LONGEST_DAYS)] = Field(
        title="Dates", description="UTC dates.", examples=[["2026-03-01", "2026-03-08"]]
    )


Dates = LastDays | DateRange | ListedDates


def dates_of(wanted: Dates, today: dt.date) -> tuple[dt.date, ...]:
    """Return the dates that are meant, in order, each once."""
    match wanted:
        case LastDays():
            return days(today - DAY * (wanted.last_days - 1), today)
        case DateRange():
            return days(wanted.first, wanted.last)
        case ListedDates():
            return tuple(sorted(set(wanted.dates)))


def days(first: dt.date, last: dt.date) -> tuple[dt.date, ...]:
    """Return all dates from the first to the last."""
    return tuple(first + DAY * number for number in range((last - first).days + 1))


def period_before(dates: Sequence[dt.date]) -> tuple[dt.date, ...]:
    """Move dates (in order) back by the span that they cover, so that as many directly precede it."""
    span = dates[-1] - dates[0] + DAY
    return tuple(one - span for one in dates)


def dates_to_judge(dates: Sequence[dt.date], today: dt.date) -> tuple[dt.date, ...]:
    """Choose the dates whose delivery rates are news: settled, and no more than a week older than the newest such.

    Where ``dates`` end after the newest settled date, that one is judged too: a daily run for today would else never
    judge anything.
    """
    settled = today - DAY * SETTLED_AFTER_DAYS
    recent = {one for one in dates if settled - DAY * RECENT_DAYS < one <= settled}
    if dates[-1] > settled:
        recent.add(settled)
    return tuple(sorted(recent))


def history_of(judged: Sequence[dt.date]) -> tuple[dt.date, ...]:
    """Return the judged dates (in order) and those by which they are judged."""
    return days(judged[0] - DAY * HISTORY_DAYS, judged[-1]) if judged else ()


def dates_to_read(dates: Sequence[dt.date], today: dt.date) -> tuple[dt.date, ...]:
    """Return all dates that a roll-up needs: those asked for, the period before, and the history of judged dates."""
    needed = {*dates, *period_before(dates)}
    needed |= set(history_of(dates_to_judge(dates, today)))
    return tuple(sorted(one for one in needed if one <= today))


def calls_of(dates: Iterable[dt.date]) -> Iterator[tuple[dt.date, ...]]:
    """Share dates out over calls."""
    rest = iter(dates)
    while chunk := tuple(islice(rest, DATES_A_CALL)):
        yield chunk
