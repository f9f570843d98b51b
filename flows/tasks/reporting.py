"""Tasks that tell people, and automations, how it went."""

import asyncio

from prefect.artifacts import acreate_markdown_artifact, acreate_table_artifact

from flows import ledger
from flows.events import event, tell
from flows.ledger import Ledger, PlannedCampaign
from flows.progress import artifact_key
from flows.reports.campaign import CampaignReport, make_report, summary, table
from flows.tasks.kinds import step
from flows.written_plan import reading_of

FINISHED = "dovecote.campaign.finished"
WAVE_SENT = "dovecote.campaign.wave-sent"


@step("publish-report")
async def publish_report(book: Ledger, planned: PlannedCampaign) -> CampaignReport:
    """Write the table and the summary as artifacts."""
    totals = await asyncio.to_thread(ledger.totals, book, planned.id)
    unsent = await asyncio.to_thread(ledger.unsent_lines, book, planned.id)
    reading = reading_of(planned)
    report = make_report(planned, reading, totals)
    await acreate_table_artifact(
        table=table(report), key=artifact_key(planned.name, "results"), description=f"Results of {planned.name}"
    )
    await acreate_markdown_artifact(
        markdown=summary(report, reading, unsent),
        key=artifact_key(planned.name, "summary"),
        description=f"Summary of {planned.name}",
    )
    return report


async def announce(report: CampaignReport) -> None:
    """Tell automations: ``dovecote.campaign.finished``, or ``….wave-sent`` while others are to come."""
    name = WAVE_SENT if report.planned else FINISHED
    resource = f"dovecote.campaign.{report.campaign_id}"
    await tell([event(name, resource, report.campaign, report.model_dump(mode="json"))])
