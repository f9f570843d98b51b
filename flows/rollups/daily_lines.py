"""From the provider's statistics to lines of the ledger (specification 2.6). Pure."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from flows.ledger.statistics import ALL_NETWORKS, DailyLine
from flows.planning.tags import campaign_tag, tag_set
from interface.responses import DateCounters, DateStatistics


@dataclass
class _Network:
    sent: int = 0
    rated: int = 0
    delivered: int = 0


@dataclass
class _Sum:
    counters: list[DateCounters] = field(default_factory=list)
    networks: defaultdict[str, _Network] = field(default_factory=lambda: defaultdict(_Network))


def daily_lines(answer: Iterable[DateStatistics]) -> list[DailyLine]:
    """Sum up what is told of a date and a set of tags; the batches of a campaign count as one set of tags.

    The interface tells messages by network, but deliveries only by set of tags. So a network's deliveries are known
    where all messages of a set of tags, before batches are summed up, went to it: those are its ``rated`` messages.
    """
    sums: defaultdict[tuple[str, str], _Sum] = defaultdict(_Sum)
    for told in answer:
        one = sums[(told.date.isoformat(), tag_set(campaign_tag(tag) for tag in told.tags))]
        one.counters.append(told.stats)
        _add_networks(one.networks, told.stats)
    return [line for (date, tags), one in sorted(sums.items()) for line in _lines(date, tags, one)]


def _add_networks(networks: defaultdict[str, _Network], stats: DateCounters) -> None:
    used = {network: sent for network, sent in stats.msg_mccmnc.items() if sent > 0}
    for network, sent in used.items():
        networks[network].sent += sent
        if len(used) == 1:
            networks[network].rated += stats.count_sent
            networks[network].delivered += stats.count_delivered


def _lines(date: str, tags: str, one: _Sum) -> Iterator[DailyLine]:
    firsts = [each.first_ts_sent.timestamp() for each in one.counters if each.first_ts_sent]
    lasts = [each.last_ts_sent.timestamp() for each in one.counters if each.last_ts_sent]
    yield DailyLine(
        date=date,
        tags=tags,
        network=ALL_NETWORKS,
        sent=sum(each.count_sent for each in one.counters),
        rated=sum(each.count_sent for each in one.counters),
        delivered=sum(each.count_delivered for each in one.counters),
        nondelivered=sum(each.count_nondelivered for each in one.counters),
        notsent=sum(each.count_notsent for each in one.counters),
        seen=sum(each.count_seen for each in one.counters),
        clicked=sum(each.count_clicked for each in one.counters),
        replied=sum(each.count_replied for each in one.counters),
        optout=sum(each.count_optout for each in one.counters),
        parts=sum(each.msg_sent for each in one.counters),
        first_sent_at=min(firsts, default=None),
        last_sent_at=max(lasts, default=None),
    )
    for network, counted in sorted(one.networks.items()):
        yield DailyLine(date, tags, network, counted.sent, counted.rated, counted.delivered)
