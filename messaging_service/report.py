"""Step 8: counters that move with the messages, so that a statistics call costs the dates it names."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlalchemy import Connection

from interface.results import Result
from messaging_service.clock import Milliseconds
from messaging_service.message import Message, Move
from messaging_service.store import statistics

_UNARRIVED = frozenset({Result.REJECTED, Result.FAILED, Result.UNDELIVERED})


@dataclass(slots=True)
class Change:
    """What moves add to one line of statistics (a key, a date, a set of tags)."""

    counts: Counter[str] = field(default_factory=Counter)
    networks: Counter[str] = field(default_factory=Counter)
    first_ts_sent: Milliseconds | None = None
    last_ts_sent: Milliseconds | None = None


def count(connection: Connection, moves: Sequence[Move]) -> None:
    """Write what the moves change in the statistics (specification 2.6), one row a line and batch."""
    lines: dict[tuple[int, str, str], Change] = {}
    for move in moves:
        content = move.after.content
        _add(lines.setdefault((content.key_id, content.date, content.tags), Change()), move)
    for line in sorted(lines):  # always in the same order, so that two workers never wait for each other in a circle
        change = lines[line]
        statistics.add(connection, line, change.counts, (change.first_ts_sent, change.last_ts_sent))
        statistics.add_networks(connection, line, change.networks)


def _add(change: Change, move: Move) -> None:
    change.counts.update(counters(move.after))
    change.counts.subtract(counters(move.before))
    if move.before.ts_sent is not None:
        change.networks[network(move.before)] -= 1
    if move.after.ts_sent is not None:
        change.networks[network(move.after)] += 1
    if move.after.ts_sent is not None and move.before.ts_sent is None:
        sent = move.after.ts_sent
        change.first_ts_sent = sent if change.first_ts_sent is None else min(change.first_ts_sent, sent)
        change.last_ts_sent = sent if change.last_ts_sent is None else max(change.last_ts_sent, sent)


def counters(message: Message) -> dict[str, int]:
    """Return what one message counts for. The statistics are, at any moment, the sum of this over the rows."""
    sent = message.ts_sent is not None
    counted = {
        "count_sent": int(sent),
        "msg_sent": message.parts if sent else 0,
        "count_delivered": int(message.ts_delivered is not None),
        "count_nondelivered": int(is_nondelivered(message)),
        "count_notsent": int(is_notsent(message)),
        "count_seen": int(message.ts_seen is not None),
        "count_clicked": int(message.ts_clicked is not None),
        "count_replied": int(message.ts_replied is not None),
        "count_optout": int(message.ts_optout is not None),
    }
    return {name: value for name, value in counted.items() if value}


def is_nondelivered(message: Message) -> bool:
    """Whether the message left and didn't arrive, on any of its steps."""
    return message.ts_sent is not None and message.ts_delivered is None and message.state in _UNARRIVED


def is_notsent(message: Message) -> bool:
    """Whether the message came to its end without leaving."""
    return message.ts_sent is None and message.state in _UNARRIVED


def network(message: Message) -> str:
    """Return the network code of ``msg_mccmnc``: MCC, then MNC with two digits (``23000`` where it is unknown)."""
    return f"{message.mcc or 0}{message.mnc or 0:02d}"
