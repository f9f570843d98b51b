"""Judge the delivery rates of tags and networks, each by its own history. Pure."""

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from flows.ledger.statistics import ToldDrop
from flows.rollups.delivery_rates import Counted, Drop, Rule, dropped
from flows.rollups.figures import History, Subject
from flows.rollups.periods import DAY, HISTORY_DAYS


@dataclass(frozen=True)
class FoundDrop:
    """A subject whose rate fell on a date."""

    subject: Subject
    date: dt.date
    drop: Drop

    @property
    def told(self) -> ToldDrop:
        """How it is remembered as told."""
        return ToldDrop(self.subject.whose, self.subject.kind, self.subject.name, self.date)


def find_drops(history: History, dates: Sequence[dt.date], rule: Rule) -> list[FoundDrop]:
    """Judge each subject on each date by the `HISTORY_DAYS` days before it.

    However many judgements are made, all of them together are wrong with the chance of the rule.
    """
    cases = list(_cases(history, dates, rule))
    if not cases:
        return []
    shared = replace(rule, chance=rule.chance / len(cases))
    found = []
    for subject, date, before in cases:
        if drop := dropped(before, history[subject][date], shared):
            found.append(FoundDrop(subject, date, drop))
    return sorted(found, key=lambda one: (one.date, one.subject.kind, one.subject.name))


def _cases(
    history: History, dates: Sequence[dt.date], rule: Rule
) -> Iterator[tuple[Subject, dt.date, Sequence[Counted]]]:
    for subject, counted in history.items():
        for date in dates:
            if (on_date := counted.get(date)) is None or on_date.rated < rule.fewest_messages:
                continue
            first = date - DAY * HISTORY_DAYS
            yield subject, date, [one for day, one in counted.items() if first <= day < date]
