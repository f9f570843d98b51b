"""Tasks that tell people, and automations, how it went."""

import asyncio

from prefect import task
from prefect.artifacts import acreate_markdown_artifact, acreate_table_artifact
from prefect.cache_policies import NO_CACHE
from prefect.events import emit_event

from flows import ledger
from flows.ledger import Ledger, PlannedCampaign
from flows.preparing import Prepared
from flows.progress import artifact_key
from flows.reports.campaign import CampaignReport, LeftOutLines, make_report, summary, table

FINISHED = "dovecote.campaign.finished"


@task(name="publish-report", cache_policy=NO_CACHE, persist_result=False)
async def publish_report(book: Ledger, planned: PlannedCampaign, prepared: Prepared) -> CampaignReport:
    """Write the table and the summary as artifacts."""
    totals = await asyncio.to_thread(ledger.totals, book, planned.id)
    unsent = await asyncio.to_thread(ledger.unsent_lines, book, planned.id)
    report = make_report(prepared, planned.id, totals)
    left_out = LeftOutLines(prepared.malformed, unsent, prepared.empty_places)
    await acreate_table_artifact(
        table=table(report), key=artifact_key(planned.name, "results"), description=f"Results of {planned.name}"
    )
    await acreate_markdown_artifact(
        markdown=summary(report, left_out),
        key=artifact_key(planned.name, "summary"),
        description=f"Summary of {planned.name}",
    )
    return report


def announce(report: CampaignReport) -> None:
    """Emit ``dovecote.campaign.finished`` with the report, for automations to react to."""
    emit_event(
        event=FINISHED,
        resource={
            "prefect.resource.id": f"dovecote.campaign.{report.campaign_id}",
            "prefect.resource.name": report.campaign,
        },
        payload=report.model_dump(mode="json"),
    )
