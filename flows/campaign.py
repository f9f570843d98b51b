"""The flows ``send_campaign``: one text to many recipients, each exactly once; ``send_wave``: some of them, later."""

from typing import Any

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.states import Cancelled

from flows import ledger
from flows.cancelling import cancel_campaign
from flows.connections import load_account, opened_ledger, provider_of
from flows.ledger import NotNow
from flows.parameters import Campaign
from flows.planning.agreeing import Refused, agreed_plan
from flows.problems import LedgerProblem
from flows.reports.campaign import CampaignReport
from flows.sending.attending import Attendant
from flows.sending.progress import shown_progress
from flows.tasks.reporting import announce, publish_report

Outcome = CampaignReport | State[Any]
"""A report; or the state ``Cancelled`` with a sentence, when a person refused or cancelled the campaign."""


@flow(
    name="send-campaign",
    flow_run_name="{campaign.name}",
    persist_result=False,
    on_cancellation=[cancel_campaign],
)
async def send_campaign(campaign: Campaign) -> Outcome:
    """Send one text to many recipients, each exactly once, and report what became of it.

    Started again with the same content, after a crash or to look for late results, it goes on where it was.

    Args:
        campaign: What to send, to whom, when, and through which account.

    """
    account = await load_account(campaign.account)
    async with opened_ledger(account) as book, provider_of(account) as provider:
        try:
            planned = await agreed_plan(book, provider, campaign)
        except (Refused, ledger.Cancelled) as reason:
            return Cancelled(message=str(reason))
        return await _attended(Attendant(book, provider, planned), None)


@flow(name="send-wave", persist_result=False)
async def send_wave(campaign: str, campaign_id: str, wave: int, account: str = "main") -> Outcome:
    """Send one wave of a campaign: those whose hours have come. Scheduled by the flow send-campaign.

    Args:
        campaign: Name of the campaign.
        campaign_id: Its id in the ledger.
        wave: Number of the wave.
        account: Name of the block 'Messaging Account' through which it goes.

    """
    block = await load_account(account)
    async with opened_ledger(block) as book, provider_of(block) as provider:
        planned = ledger.read_campaign(book, campaign_id)
        if planned is None:
            raise LedgerProblem(f"The ledger has another plan for the campaign {campaign!r}; this wave is not of it.")
        return await _attended(Attendant(book, provider, planned), wave)


async def _attended(attendant: Attendant, wave: int | None) -> Outcome:
    """Send a wave, or (None) all that is due, follow the results, and report."""
    book, planned = attendant.book, attendant.campaign
    stopped: NotNow | None = None
    async with shown_progress(book, planned):
        try:
            await (attendant.send_all() if wave is None else attendant.send_one(wave))
        except NotNow as reason:
            stopped = reason
            await attendant.recall()
        await attendant.follow()
    report = await publish_report(book, planned)
    await announce(report)
    return report if stopped is None else Cancelled(message=str(stopped))
