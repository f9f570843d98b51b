"""Who of a segment is to be written to: what is read before anything is written."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, select

from flows.ledger.frequency import FrequencyCap, at_the_cap
from flows.ledger.tables import segment_members, segment_syncs
from flows.problems import LedgerProblem

JOINED, LEFT = "joined", "left"


class SendTo(StrEnum):
    """Who gets a message."""

    NEW = "new"  # members who joined since the run before
    ALL = "all"  # all members, in each run
    LEFT = "left"  # those who were members in the run before and aren't any more
    NOBODY = "nobody"  # the members are only remembered


class AnotherSegment(LedgerProblem):
    """The name belongs to another segment."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Under the name {name!r} another segment or account is followed; choose another name.")


class SegmentShrank(LedgerProblem):
    """So many members are gone that it looks like a fault of the platform."""

    def __init__(self, name: str, before: int, now: int) -> None:
        super().__init__(
            f"The segment of {name!r} had {before} members and now has {now}; nothing was remembered or sent. If that "
            "is right, run it once with 'May shrink by' at 1."
        )
        self.before = before
        self.now = now


@dataclass(frozen=True)
class Segment:
    """A segment of a marketing platform, followed under a name through an account."""

    name: str
    account: str
    connector: str
    app_userid: str
    segment_id: str


@dataclass(frozen=True)
class Choosing:
    """Who is to be chosen. ``suppressed`` numbers get nothing; ``may_shrink_by`` is a share of the members, 0 to 1."""

    send_to: SendTo = SendTo.NEW
    may_shrink_by: float = 0.5
    cap: FrequencyCap | None = None
    suppressed: Collection[str] = field(default=frozenset())


@dataclass(frozen=True)
class Choice:
    """What a run (counted from 1) would change, and whom it would write to; ``capped`` ones have had their messages.

    ``waiting`` are those who stay pending, since they only wait for the cap; ``settled`` those who were and don't.
    """

    run: int
    joined: Sequence[str]
    left: Sequence[str]
    suppressed: int
    capped: Sequence[str]
    chosen: Sequence[str]
    waiting: frozenset[str]
    settled: Sequence[str]


class _Known(NamedTuple):
    present: bool
    pending: str | None


def read_choice(
    connection: Connection, segment: Segment, members: frozenset[str], choosing: Choosing, now: float
) -> Choice:
    """Compare the members with those remembered, and choose; raises `AnotherSegment` and `SegmentShrank`."""
    run = _next_run(connection, segment)
    known = _known(connection, segment.name)
    present = {number for number, one in known.items() if one.present}
    if _shrank(len(present), len(members), choosing.may_shrink_by):
        raise SegmentShrank(segment.name, len(present), len(members))
    joined, left = sorted(members - present), sorted(present - members)
    candidates = _candidates(choosing.send_to, members, known, (joined, left))
    allowed = [number for number in candidates if number not in choosing.suppressed]
    capped = at_the_cap(connection, allowed, choosing.cap, now)
    waiting = frozenset(capped) if choosing.send_to in {SendTo.NEW, SendTo.LEFT} else frozenset()
    changed = waiting | set(joined) | set(left)
    return Choice(
        run=run,
        joined=joined,
        left=left,
        suppressed=len(candidates) - len(allowed),
        capped=sorted(capped),
        chosen=[number for number in allowed if number not in capped],
        waiting=waiting,
        settled=sorted(number for number, one in known.items() if one.pending and number not in changed),
    )


def _next_run(connection: Connection, segment: Segment) -> int:
    known = connection.execute(select(segment_syncs).where(segment_syncs.c.name == segment.name)).one_or_none()
    if known is None:
        return 1
    if _segment_of(known) != segment:
        raise AnotherSegment(segment.name)
    return int(known.runs) + 1


def _segment_of(row: Row[Any]) -> Segment:
    return Segment(row.name, row.account, row.connector, row.app_userid, row.segment_id)


def _known(connection: Connection, name: str) -> dict[str, _Known]:
    columns = segment_members.c
    query = select(columns.phone_number, columns.left_at, columns.pending).where(columns.sync_name == name)
    return {number: _Known(left_at is None, pending) for number, left_at, pending in connection.execute(query)}


def _shrank(before: int, now: int, may_shrink_by: float) -> bool:
    return now < before and before - now >= before * may_shrink_by and may_shrink_by < 1


def _candidates(
    send_to: SendTo,
    members: frozenset[str],
    known: Mapping[str, _Known],
    changes: tuple[Sequence[str], Sequence[str]],
) -> list[str]:
    joined, left = changes
    match send_to:
        case SendTo.NEW:
            waiting = {number for number, one in known.items() if one.pending == JOINED and number in members}
            return sorted(waiting.union(joined))
        case SendTo.LEFT:
            waiting = {number for number, one in known.items() if one.pending == LEFT and number not in members}
            return sorted(waiting.union(left))
        case SendTo.ALL:
            return sorted(members)
        case SendTo.NOBODY:
            return []
