"""The flow ``send_campaign``: one text to many recipients, each exactly once, and a report."""

import asyncio

from prefect import flow, get_run_logger

from flows import ledger
from flows.connections import load_account, opened_ledger, provider_of
from flows.following import Follower
from flows.outbox import Outbox
from flows.parameters import Campaign
from flows.progress import shown_progress
from flows.reports.campaign import CampaignReport
from flows.tasks.following import Patience, follow_results
from flows.tasks.planning import read_recipients, write_plan
from flows.tasks.reporting import announce, publish_report
from flows.tasks.sending import send_some
from flows.work import held

CALLS_A_TASK = 50
"""Calls that one task run makes: task runs grow with thousands of recipients, not with each."""


@flow(name="send-campaign", flow_run_name="{campaign.name}", persist_result=False)
async def send_campaign(campaign: Campaign) -> CampaignReport:
    """Send one text to many recipients, each exactly once, and report what became of it.

    Started again with the same content, after a crash or to look for late results, it goes on where it was.

    Args:
        campaign: What to send, to whom, and through which account.

    """
    account = await load_account(campaign.account)
    prepared = await read_recipients(campaign)
    async with opened_ledger() as book, provider_of(account) as provider:
        planned = await write_plan(book, prepared)
        async with held(book, planned.id) as lease, shown_progress(book, planned):
            await send_all(Outbox(lease, planned.settings, provider))
            await follow_results(Follower(provider, book), planned.id, patience_of(campaign))
        report = await publish_report(book, planned, prepared)
    announce(report)
    return report


async def send_all(outbox: Outbox) -> None:
    """Send what the ledger has no answer for, some calls a task, until nothing is left."""
    logger = get_run_logger()
    while batch_ids := await asyncio.to_thread(ledger.outstanding, outbox.ledger, outbox.lease.campaign_id):
        logger.info("%d calls to make or to look up", len(batch_ids))
        for start in range(0, len(batch_ids), CALLS_A_TASK):
            await send_some(outbox, batch_ids[start : start + CALLS_A_TASK])


def patience_of(campaign: Campaign) -> Patience:
    """How long the person who started the campaign wants to wait for results."""
    scheduled = campaign.datetime is not None or campaign.delivery_time is not None
    return Patience(campaign.follow_minutes * 60, campaign.quiet_seconds, scheduled)
