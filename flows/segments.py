"""The flow ``sync_segment``: follow a segment of a marketing platform, and write to those who are new in it."""

import asyncio
from contextlib import suppress
from dataclasses import fields

from prefect import flow
from prefect.events import Event

from flows.connections import load_account, opened_ledger, provider_of
from flows.events import event, tell
from flows.ledger import Cancelled, Ledger, PlannedCampaign
from flows.ledger.choices import SegmentShrank
from flows.ledger.segments import Synchronised, unfinished
from flows.planning.tags import slug
from flows.provider import Provider
from flows.reports.campaign import CampaignReport
from flows.reports.segment import SegmentReport
from flows.sending.attending import Attendant
from flows.sending.progress import shown_progress
from flows.sending.work import turn
from flows.syncing import SegmentSync, check_text
from flows.tasks.reporting import announce, publish_report
from flows.tasks.segments import (
    choose_members,
    finish_segment,
    look_for_segment,
    publish_segment,
    read_members,
    read_suppressions,
)

SYNCED = "dovecote.segment.synced"
SHRANK = "dovecote.segment.shrank"


@flow(name="sync-segment", flow_run_name="{segment.name}", persist_result=False)
async def sync_segment(segment: SegmentSync) -> SegmentReport:
    """Remember who is in a segment, and write to those who joined since the last run, each exactly once.

    A run that was ended before its messages had gone is finished first. One run at a time follows a segment.

    Args:
        segment: Which segment, what to write, to whom of its members, and through which account.

    """
    account = await load_account(segment.account)
    async with (
        opened_ledger(account) as book,
        provider_of(account) as provider,
        turn(book, f"the segment of {segment.name}"),
    ):
        check_text(segment, book.now())
        before = await asyncio.to_thread(unfinished, book, segment.name)
        finished = await send_run(book, provider, segment.name, before) if before else None
        found = await look_for_segment(provider, segment)
        members = await read_members(provider, segment, found.id)
        facts = await read_suppressions(provider, segment)
        try:
            chosen = await choose_members(book, segment, found, members, facts)
        except SegmentShrank as problem:
            await tell([_shrank(segment.name, problem)])
            raise
        campaign = await send_run(book, provider, segment.name, chosen.campaign) if chosen.campaign else None
    report = SegmentReport(
        name=segment.name,
        segment_id=found.id,
        segment_name=found.name,
        malformed=len(members.malformed),
        campaign=campaign,
        finished_before=finished,
        **_counted(chosen),
    )
    await publish_segment(report)
    await tell([event(SYNCED, _resource(segment.name), segment.name, report.model_dump(mode="json"))])
    return report


async def send_run(book: Ledger, provider: Provider, name: str, campaign: PlannedCampaign) -> CampaignReport:
    """Send a run's campaign, or leave its waves to their runs; one that a person cancelled is finished as it is."""
    attendant = Attendant(book, provider, campaign)
    async with shown_progress(book, campaign):
        with suppress(Cancelled):
            await attendant.send_all()
        await attendant.follow()
    report = await publish_report(book, campaign)
    await announce(report)
    await finish_segment(book, name, campaign)
    return report


def _counted(chosen: Synchronised) -> dict[str, int]:
    return {field.name: getattr(chosen, field.name) for field in fields(Synchronised) if field.name != "campaign"}


def _shrank(name: str, problem: SegmentShrank) -> Event:
    return event(SHRANK, _resource(name), name, {"name": name, "before": problem.before, "now": problem.now})


def _resource(name: str) -> str:
    return f"dovecote.segment.{slug(name)}"
