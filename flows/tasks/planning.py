"""Tasks before anything is sent."""

import asyncio

from prefect import task
from prefect.cache_policies import NO_CACHE

from flows import ledger
from flows.ledger import Ledger, PlannedCampaign
from flows.parameters import Campaign
from flows.preparing import Prepared, prepare


@task(name="read-recipients", cache_policy=NO_CACHE, persist_result=False)
async def read_recipients(campaign: Campaign) -> Prepared:
    """Read, normalise and deduplicate the recipients, and render their texts."""
    return await asyncio.to_thread(prepare, campaign)


@task(name="write-plan", cache_policy=NO_CACHE, persist_result=False)
async def write_plan(book: Ledger, prepared: Prepared) -> PlannedCampaign:
    """Write the campaign into the ledger, or find it there to continue it."""
    return await asyncio.to_thread(ledger.plan, book, prepared.plan)
