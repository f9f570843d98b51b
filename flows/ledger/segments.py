"""The members of segments that are followed, and the messages to those who are chosen.

A run's changes, its choice and the plan of its campaign are one transaction: a run that is killed before it has changed
nothing, one that is killed after it leaves a campaign that the next run finishes first.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass

from sqlalchemy import Connection, delete, insert, select, update

from flows.ledger.choices import JOINED, LEFT, Choice, Choosing, Segment, read_choice
from flows.ledger.database import Ledger
from flows.ledger.frequency import chunks
from flows.ledger.plans import PlannedCampaign, campaign_of, plan_within
from flows.ledger.records import CampaignPlan
from flows.ledger.tables import segment_members, segment_syncs

PlanFor = Callable[[int, Sequence[str]], CampaignPlan]
COLUMNS = segment_members.c


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
    ledger: Ledger, segment: Segment, members: Collection[str], choosing: Choosing, plan_for: PlanFor
) -> Synchronised:
    """Remember who is in the segment now, and plan the messages to those chosen, as one.

    ``plan_for`` is given the number of the run (from 1) and the chosen numbers, and isn't asked when nobody is. Raises
    `AnotherSegment`, and `SegmentShrank` with everything left as it was.
    """
    now, wanted = ledger.now(), frozenset(members)
    while True:
        # The plan is made before the transaction, which would else keep other writers waiting for seconds. Should the
        # choice be another by then, since somebody else has sent or synchronised, it is made anew.
        with ledger.read() as connection:
            choice = read_choice(connection, segment, wanted, choosing, now)
        plan = plan_for(choice.run, choice.chosen) if choice.chosen else None
        with ledger.write() as connection:
            _one_at_a_time(connection)
            if read_choice(connection, segment, wanted, choosing, now) != choice:
                continue
            campaign = plan_within(connection, plan, now) if plan else None
            _begin(connection, segment, choice.run, campaign, now)
            _remember(connection, segment.name, choice, now)
        return Synchronised(
            members=len(wanted),
            joined=len(choice.joined),
            left=len(choice.left),
            suppressed=choice.suppressed,
            capped=len(choice.capped),
            chosen=len(choice.chosen),
            campaign=campaign,
        )


def _one_at_a_time(connection: Connection) -> None:
    # Two runs that count messages at once would both stay below the cap. On SQLite writers queue anyway.
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock(hashtext('dovecote segments'))")


def _begin(connection: Connection, segment: Segment, run: int, campaign: PlannedCampaign | None, now: float) -> None:
    state = {"runs": run, "synced_at": now, "campaign_id": campaign.id if campaign else None}
    if run == 1:
        connection.execute(insert(segment_syncs).values(**asdict(segment), **state))
    else:
        connection.execute(update(segment_syncs).where(segment_syncs.c.name == segment.name).values(state))


def _remember(connection: Connection, name: str, choice: Choice, now: float) -> None:
    for numbers in chunks(choice.joined):
        rows = [
            {
                "sync_name": name,
                "phone_number": number,
                "joined_at": now,
                "pending": JOINED if number in choice.waiting else None,
            }
            for number in numbers
        ]
        returning = (COLUMNS.sync_name == name) & COLUMNS.phone_number.in_(numbers)
        connection.execute(delete(segment_members).where(returning))
        connection.execute(insert(segment_members), rows)
    _set(connection, name, choice.settled, {"pending": None})
    _set(connection, name, [one for one in choice.left if one not in choice.waiting], {"left_at": now, "pending": None})
    _set(connection, name, [one for one in choice.left if one in choice.waiting], {"left_at": now, "pending": LEFT})


def _set(connection: Connection, name: str, members: Sequence[str], values: dict[str, float | str | None]) -> None:
    for numbers in chunks(members):
        mine = (COLUMNS.sync_name == name) & COLUMNS.phone_number.in_(numbers)
        connection.execute(update(segment_members).where(mine).values(values))
