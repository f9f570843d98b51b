"""The members of segments that are followed, and who of them is to be written to.

A run's changes, its choice and the plan of its campaign are one transaction: a run that is killed before it has changed
nothing, one that is killed after it leaves a campaign that the next run finishes first.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from itertools import islice
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, or_, select, update

from flows.ledger.database import Ledger
from flows.ledger.plans import PlannedCampaign, campaign_of, plan_within
from flows.ledger.records import BatchState, CampaignPlan
from flows.ledger.tables import batches, campaigns, recipients, segment_members, segment_syncs
from flows.problems import LedgerProblem

NUMBERS_A_STATEMENT = 500
DAY_SECONDS = 86_400
JOINED, LEFT = "joined", "left"


class SendTo(StrEnum):
    """Who gets a message."""

    NEW = "new"  # members who joined since the run before
    ALL = "all"  # all members, in each run
    LEFT = "left"  # those who were members in the run before and aren't any more
    NOBODY = "nobody"  # the members are only remembered


PENDING = {SendTo.NEW: JOINED, SendTo.LEFT: LEFT}


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
class FrequencyCap:
    """At most so many messages to one person within so many days, whatever the campaign."""

    messages: int
    days: float


@dataclass(frozen=True)
class Choosing:
    """Who is to be chosen. ``suppressed`` numbers get nothing; ``may_shrink_by`` is a share of the members, 0 to 1."""

    send_to: SendTo = SendTo.NEW
    may_shrink_by: float = 0.5
    cap: FrequencyCap | None = None
    suppressed: Collection[str] = field(default=frozenset())


@dataclass(frozen=True)
class Synchronised:
    """What a run found and planned; numbers of people."""

    members: int
    joined: int
    left: int
    suppressed: int
    capped: int
    chosen: int
    campaign: PlannedCampaign | None


def unfinished(ledger: Ledger, name: str) -> PlannedCampaign | None:
    """Return the campaign of a run that was ended before its messages had gone."""
    with ledger.read() as connection:
        campaign_id = connection.scalar(select(segment_syncs.c.campaign_id).where(segment_syncs.c.name == name))
        return campaign_of(connection, campaign_id) if campaign_id else None


def finish(ledger: Ledger, name: str, campaign_id: str) -> None:
    """Note that the run's campaign has gone; no-op when another is under way."""
    mine = (segment_syncs.c.name == name) & (segment_syncs.c.campaign_id == campaign_id)
    with ledger.write() as connection:
        connection.execute(update(segment_syncs).where(mine).values(campaign_id=None))


def synchronise(
    ledger: Ledger,
    segment: Segment,
    members: Collection[str],
    choosing: Choosing,
    plan_for: Callable[[int, Sequence[str]], CampaignPlan],
) -> Synchronised:
    """Remember who is in the segment now, and plan the messages to those chosen, as one.

    ``plan_for`` is given the number of the run (from 1) and the chosen numbers, and isn't asked when nobody is. Raises
    `AnotherSegment`, and `SegmentShrank` with everything left as it was.
    """
    now = ledger.now()
    with ledger.write() as connection:
        _one_at_a_time(connection)
        run = _begin(connection, segment, now)
        changes = _compare(connection, segment.name, frozenset(members))
        if _shrank(changes.before, len(members), choosing.may_shrink_by):
            raise SegmentShrank(segment.name, changes.before, len(members))
        _remember(connection, segment.name, changes, now)
        waiting = _waiting(connection, segment.name, choosing.send_to)
        allowed = [number for number in waiting if number not in choosing.suppressed]
        capped = _at_the_cap(connection, allowed, choosing.cap, now)
        chosen = [number for number in allowed if number not in capped]
        _settle(connection, segment.name, choosing.send_to, capped)
        campaign = plan_within(connection, plan_for(run, chosen), now) if chosen else None
        campaign_id = campaign.id if campaign else None
        connection.execute(
            update(segment_syncs).where(segment_syncs.c.name == segment.name).values(campaign_id=campaign_id)
        )
    return Synchronised(
        members=len(members),
        joined=len(changes.joined),
        left=len(changes.left),
        suppressed=len(waiting) - len(allowed),
        capped=len(capped),
        chosen=len(chosen),
        campaign=campaign,
    )


@dataclass(frozen=True)
class _Changes:
    before: int
    joined: Sequence[str]
    left: Sequence[str]


def _one_at_a_time(connection: Connection) -> None:
    # Two runs that count messages at once would both stay below the cap. On SQLite writers queue anyway.
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock(hashtext('dovecote segments'))")


def _begin(connection: Connection, segment: Segment, now: float) -> int:
    known = connection.execute(select(segment_syncs).where(segment_syncs.c.name == segment.name)).one_or_none()
    if known is None:
        connection.execute(insert(segment_syncs).values(**asdict(segment), runs=1, synced_at=now))
        return 1
    if _segment_of(known) != segment:
        raise AnotherSegment(segment.name)
    run = int(known.runs) + 1
    mine = segment_syncs.c.name == segment.name
    connection.execute(update(segment_syncs).where(mine).values(runs=run, synced_at=now))
    return run


def _segment_of(row: Row[Any]) -> Segment:
    return Segment(row.name, row.account, row.connector, row.app_userid, row.segment_id)


def _shrank(before: int, now: int, may_shrink_by: float) -> bool:
    return now < before and before - now >= before * may_shrink_by and may_shrink_by < 1


def _compare(connection: Connection, name: str, members: frozenset[str]) -> _Changes:
    columns = segment_members.c
    present = columns.left_at.is_(None) & (columns.sync_name == name)
    known = set(connection.scalars(select(columns.phone_number).where(present)))
    return _Changes(len(known), sorted(members - known), sorted(known - members))


def _remember(connection: Connection, name: str, changes: _Changes, now: float) -> None:
    columns = segment_members.c
    for numbers in _chunks(changes.joined):
        returning = (columns.sync_name == name) & columns.phone_number.in_(numbers)
        connection.execute(delete(segment_members).where(returning))
        rows = [{"sync_name": name, "phone_number": each, "joined_at": now, "pending": JOINED} for each in numbers]
        connection.execute(insert(segment_members), rows)
    for numbers in _chunks(changes.left):
        leaving = (columns.sync_name == name) & columns.phone_number.in_(numbers)
        connection.execute(update(segment_members).where(leaving).values(left_at=now, pending=LEFT))


def _waiting(connection: Connection, name: str, send_to: SendTo) -> list[str]:
    columns = segment_members.c
    if send_to is SendTo.NOBODY:
        return []
    wanted = columns.left_at.is_(None) if send_to is SendTo.ALL else columns.pending == PENDING[send_to]
    query = select(columns.phone_number).where(columns.sync_name == name, wanted).order_by(columns.phone_number)
    return list(connection.scalars(query))


def _settle(connection: Connection, name: str, send_to: SendTo, capped: Iterable[str]) -> None:
    """Forget the changes of this run, but for those who only wait for the cap."""
    columns = segment_members.c
    pending = (columns.sync_name == name) & columns.pending.is_not(None)
    connection.execute(update(segment_members).where(pending).values(pending=None))
    if send_to not in PENDING:
        return
    for numbers in _chunks(capped):
        waiting = (columns.sync_name == name) & columns.phone_number.in_(numbers)
        connection.execute(update(segment_members).where(waiting).values(pending=PENDING[send_to]))


def _at_the_cap(connection: Connection, numbers: Sequence[str], cap: FrequencyCap | None, now: float) -> set[str]:
    """Return those of the numbers who have had as many messages as the cap allows, or are going to."""
    if cap is None:
        return set()
    since = now - cap.days * DAY_SECONDS
    recent = _campaigns_since(connection, since)
    capped: set[str] = set()
    for chunk in _chunks(numbers):
        capped |= _written_to(connection, chunk, recent, since, cap.messages)
    return capped


def _campaigns_since(connection: Connection, since: float) -> list[str]:
    claimed = select(batches.c.campaign_id).where(batches.c.claimed_at >= since)
    planned = select(campaigns.c.id).where(campaigns.c.created_at >= since)
    return list(connection.scalars(claimed.union(planned)))


def _written_to(
    connection: Connection, numbers: Sequence[str], campaign_ids: Sequence[str], since: float, messages: int
) -> set[str]:
    sent = (batches.c.state != BatchState.PLANNED) & (batches.c.claimed_at >= since)
    going = (batches.c.state == BatchState.PLANNED) & campaigns.c.cancelled_at.is_(None)
    query = (
        select(recipients.c.phone_number)
        .join_from(recipients, batches, batches.c.id == recipients.c.batch_id)
        .join(campaigns, campaigns.c.id == recipients.c.campaign_id)
        .where(recipients.c.campaign_id.in_(campaign_ids), recipients.c.phone_number.in_(numbers))
        .where(recipients.c.result.not_in(("refused", "rejected")), or_(sent, going))
        .group_by(recipients.c.phone_number)
        .having(func.count() >= messages)
    )
    return set(connection.scalars(query))


def _chunks(numbers: Iterable[str]) -> Iterable[list[str]]:
    rest = iter(numbers)
    while chunk := list(islice(rest, NUMBERS_A_STATEMENT)):
        yield chunk
