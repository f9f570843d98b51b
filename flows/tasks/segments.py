"""Tasks of the synchronisation of a segment."""

import asyncio
from collections.abc import Sequence

from prefect.artifacts import acreate_markdown_artifact, acreate_table_artifact

from flows import ledger
from flows.advice import calling
from flows.ledger import CampaignPlan, Ledger
from flows.ledger.choices import Choosing, Segment, SendTo
from flows.ledger.segments import Synchronised, finish, synchronise
from flows.planning.facts import Facts, gather_facts
from flows.planning.tags import campaign_tags, slug
from flows.provider import Provider
from flows.recipients.reading import Recipients
from flows.reports.segment import SegmentReport, figures, summary
from flows.segment_members import find_segment
from flows.syncing import SegmentSync, members_in, plan_of
from flows.tasks.kinds import call, step
from interface.connectors import ConnectorSegment


@call("find-segment")
async def look_for_segment(provider: Provider, wanted: SegmentSync) -> ConnectorSegment:
    """Find the segment by its id or name."""
    of = wanted.segment
    with calling("POST /connect/…/segments"):
        return await find_segment(provider.client, of.connector, of.app_userid, of.segment)


@call("read-members")
async def read_members(provider: Provider, wanted: SegmentSync, segment_id: str) -> Recipients:
    """Read who is in the segment now."""
    of = wanted.segment
    with calling("POST /connect/…/recipients"):
        told = await provider.client.connector_recipients(of.connector, of.app_userid, segment_id)
    return await asyncio.to_thread(members_in, wanted, told)


@call("read-suppressions")
async def read_suppressions(provider: Provider, wanted: SegmentSync) -> Facts:
    """Ask the provider who is on its lists, and what a message costs."""
    if wanted.send_to is SendTo.NOBODY:
        return Facts()
    with calling():
        return await gather_facts(provider, campaign_tags(wanted.tag))


@step("choose-members")
async def choose_members(
    book: Ledger, wanted: SegmentSync, segment: ConnectorSegment, members: Recipients, facts: Facts
) -> Synchronised:
    """Remember who is in the segment, choose whom to write to, and plan the messages, as one."""
    of = wanted.segment
    known_as = Segment(wanted.name, wanted.account, of.connector, of.app_userid, segment.id)
    choosing = Choosing(
        send_to=wanted.send_to,
        may_shrink_by=wanted.may_shrink_by,
        cap=wanted.frequency_cap,
        suppressed=facts.suppressed or frozenset(),
    )

    def plan_for(run: int, numbers: Sequence[str]) -> CampaignPlan:
        return plan_of(wanted, run, numbers, facts, book.now())

    numbers = [one.phone_number for one in members.accepted]
    return await asyncio.to_thread(synchronise, book, known_as, numbers, choosing, plan_for)


@step("finish-segment")
async def finish_segment(book: Ledger, name: str, campaign: ledger.PlannedCampaign) -> None:
    """Note that the messages of a run have gone."""
    await asyncio.to_thread(finish, book, name, campaign.id)


@step("publish-segment")
async def publish_segment(report: SegmentReport) -> None:
    """Write the summary as an artifact, and the figures as a table that programs read."""
    key = f"segment-{slug(report.name)}"
    await acreate_table_artifact(table=[figures(report)], key=f"{key}-figures", description=f"Segment {report.name}")
    await acreate_markdown_artifact(markdown=summary(report), key=key, description=f"Segment {report.name}")
