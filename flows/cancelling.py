"""What *Cancel* in Prefect means on a run of send-campaign: the whole campaign is cancelled, as by the command."""

import asyncio
from typing import Any

from prefect import Flow, State
from prefect.client.orchestration import get_client
from prefect.client.schemas.objects import FlowRun
from prefect.logging.loggers import flow_run_logger

from flows import ledger
from flows.connections import load_account, opened_ledger, provider_of
from flows.ledger import Ledger, PlannedCampaign
from flows.parameters import Campaign
from flows.planning.preparing import Asked
from flows.planning.scheduling import cancel_scheduled_waves
from flows.recalling import withdraw


async def cancel_campaign(flow: Flow[..., Any], flow_run: FlowRun, state: State[Any]) -> None:  # noqa: ARG001
    """Stop what hasn't gone of the campaign of a run that a person cancels.

    Prefect calls this in a process of the runner or the worker once the run's own has ended; also when a runner is
    stopped, which cancels nothing.
    """
    if not await _is_being_cancelled(flow_run):
        return
    wanted = Campaign.model_validate(flow_run.parameters["campaign"])
    logger = flow_run_logger(flow_run, flow)
    account = await load_account(wanted.account)
    async with opened_ledger(account) as book, provider_of(account) as provider:
        planned = await _campaign_of(book, wanted)
        if planned is None:
            logger.info("Nothing of this campaign is in the ledger, so there is nothing else to cancel.")
            return
        await asyncio.to_thread(ledger.cancel, book, planned.id)
        runs = await cancel_scheduled_waves(planned)
        logger.info("The campaign is cancelled, and %d runs that waited for their time.", runs)
        if planned.settings.waits_at_provider:
            logger.info("%d people are taken back from the provider.", await withdraw(book, provider, planned))


async def _is_being_cancelled(flow_run: FlowRun) -> bool:
    async with get_client() as client:
        now = (await client.read_flow_run(flow_run.id)).state
    return now is not None and (now.is_cancelling() or now.is_cancelled())


async def _campaign_of(book: Ledger, wanted: Campaign) -> PlannedCampaign | None:
    """Return the run's own campaign; one of the same name with other content isn't."""
    known = await asyncio.to_thread(ledger.find_campaign, book, wanted.name)
    return known if known is not None and known.asked == Asked.of(wanted).digest else None
