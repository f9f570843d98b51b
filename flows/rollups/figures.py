"""Add lines of statistics up: by date, by set of tags, by network, and as histories of delivery rates. Pure."""

import datetime as dt
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields

from flows.ledger.statistics import ALL_NETWORKS, DailyLine, Whose
from flows.rollups.delivery_rates import Counted

TAG, NETWORK = "tag", "network"


@dataclass(frozen=True)
class Figures:
    """Numbers of messages, and of billed ``parts``; ``delivered`` is of the ``rated`` ones."""

    sent: int = 0
    rated: int = 0
    delivered: int = 0
    nondelivered: int = 0
    notsent: int = 0
    seen: int = 0
    clicked: int = 0
    replied: int = 0
    optout: int = 0
    parts: int = 0

    def __add__(self, other: "Figures") -> "Figures":
        return Figures(*(getattr(self, one.name) + getattr(other, one.name) for one in fields(Figures)))

    @property
    def rate(self) -> float | None:
        """The share of messages that were delivered, 0 to 1; ``None`` where no fate is known."""
        return self.delivered / self.rated if self.rated else None


@dataclass(frozen=True)
class Subject:
    """Whose delivery rate is watched: that of a tag or of a network (``kind``) of a sub-account."""

    whose: Whose
    kind: str
    name: str


@dataclass
class Sums:
    """The sums over some dates."""

    total: Figures = field(default_factory=Figures)
    by_date: dict[dt.date, Figures] = field(default_factory=dict)
    by_tags: dict[str, Figures] = field(default_factory=dict)
    by_network: dict[str, Figures] = field(default_factory=dict)


Told = tuple[Whose, DailyLine]
History = Mapping[Subject, Mapping[dt.date, Counted]]


def with_tags(lines: Iterable[Told], tags: Collection[str]) -> Iterator[Told]:
    """Keep the lines that have one of the tags; all of them when no tags are given."""
    wanted = frozenset(tags)
    return ((whose, line) for whose, line in lines if not wanted or wanted & set(line.tags.split(",")))


def add_up(lines: Iterable[Told], dates: Collection[dt.date]) -> Sums:
    """Sum the lines of ``dates``; a date without any counts nothing, and is listed nevertheless."""
    sums = Sums(by_date=dict.fromkeys(sorted(dates), Figures()))
    for _, line in lines:
        date = dt.date.fromisoformat(line.date)
        if date not in sums.by_date:
            continue
        figures = figures_of(line)
        if line.network == ALL_NETWORKS:
            sums.total += figures
            sums.by_date[date] += figures
            sums.by_tags[line.tags] = sums.by_tags.get(line.tags, Figures()) + figures
        else:
            sums.by_network[line.network] = sums.by_network.get(line.network, Figures()) + figures
    return sums


def histories(lines: Iterable[Told]) -> History:
    """Count, by date, what is known of each tag and each network of a sub-account."""
    found: defaultdict[Subject, dict[dt.date, Counted]] = defaultdict(dict)
    for whose, line in lines:
        date = dt.date.fromisoformat(line.date)
        for subject in _subjects(whose, line):
            before = found[subject].get(date, Counted(0, 0))
            found[subject][date] = Counted(before.rated + line.rated, before.delivered + line.delivered)
    return found


def figures_of(line: DailyLine) -> Figures:
    """Take what isn't told for nothing."""
    return Figures(*(getattr(line, one.name) or 0 for one in fields(Figures)))


def _subjects(whose: Whose, line: DailyLine) -> Iterator[Subject]:
    if line.network == ALL_NETWORKS:
        for tag in line.tags.split(","):
            yield Subject(whose, TAG, tag)
    else:
        yield Subject(whose, NETWORK, line.network)
