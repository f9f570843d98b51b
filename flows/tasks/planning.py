"""Tasks before anything is sent."""

import asyncio

from prefect.artifacts import acreate_markdown_artifact

from flows import ledger
from flows.advice import calling
from flows.ledger import Ledger, PlannedCampaign
from flows.parameters import Campaign
from flows.planning.collector import collector_paused
from flows.planning.facts import gather_facts
from flows.planning.preparing import Asked, prepare, read_table
from flows.planning.preview import Preview
from flows.planning.written_plan import written
from flows.provider import Provider
from flows.reports.preview import preview_page
from flows.sending.progress import artifact_key
from flows.tasks.kinds import call, step


@call("plan-campaign")
async def plan_campaign(book: Ledger, provider: Provider, campaign: Campaign, asked: Asked) -> PlannedCampaign:
    """Read, normalise and deduplicate the recipients, render their texts, and write the plan into the ledger.

    With the preview, for which the provider is asked. One that is there already, with the same content, is found.
    """
    with collector_paused():
        with calling():
            table = await read_table(campaign, provider)
        prepared = await asyncio.to_thread(prepare, campaign, table, book.now(), asked)
        with calling():
            facts = await gather_facts(provider, prepared.plan.settings.tags)
        plan = await asyncio.to_thread(written, prepared, facts)
        return await asyncio.to_thread(ledger.plan, book, plan)


@step("publish-preview")
async def publish_preview(name: str, preview: Preview) -> None:
    """Show what will be sent as an artifact."""
    await acreate_markdown_artifact(
        markdown=preview_page(preview), key=artifact_key(name, "preview"), description=f"Preview of {name}"
    )
