"""What the statistics of dates say of one batch, by its own set of tags (specification, section 2.6). Pure."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from interface.responses import DateStatistics
from interface.texts import normalise_tags


class Counters(NamedTuple):
    """What statistics say of one batch: handed over, and those with a final result, by kind."""

    sent: int = 0
    delivered: int = 0
    nondelivered: int = 0
    notsent: int = 0
    seen: int = 0

    @property
    def final(self) -> int:
        """How many have a final result."""
        return self.delivered + self.nondelivered + self.notsent


def by_tags(lines: Iterable[DateStatistics]) -> dict[str, list[DateStatistics]]:
    """Put the lines of several dates together."""
    together: dict[str, list[DateStatistics]] = {}
    for line in lines:
        together.setdefault(normalise_tags(",".join(line.tags)), []).append(line)
    return together


def counters(lines: Sequence[DateStatistics]) -> Counters:
    """Add the lines of one set of tags up."""
    return Counters(
        sum(line.stats.count_sent for line in lines),
        sum(line.stats.count_delivered for line in lines),
        sum(line.stats.count_nondelivered for line in lines),
        sum(line.stats.count_notsent for line in lines),
        sum(line.stats.count_seen for line in lines),
    )


def networks(lines: Sequence[DateStatistics]) -> dict[str, int]:
    """Add up the messages by network code."""
    counted: dict[str, int] = {}
    for line in lines:
        for network, number in line.stats.msg_mccmnc.items():
            counted[network] = counted.get(network, 0) + number
    return counted
