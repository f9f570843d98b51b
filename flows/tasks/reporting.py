"""Tasks that tell people, and automations, how it went."""

import asyncio

from prefect.artifacts import acreate_markdown_artifact, acreate_table_artifact

from flows import ledger
from flows.events import event, tell
from flows.ledger import Ledger, PlannedCampaign
from flows.planning.written_plan import reading_of
from flows.reports.campaign import CampaignReport, Counted, make_report, table
from flows.reports.campaign_summary import summary
from flows.sending.failures_file import failures_path, write_failures
from flows.sending.progress import artifact_key
from flows.tasks.kinds import step

FINISHED = "dovecote.campaign.finished"
WAVE_SENT = "dovecote.campaign.wave-sent"


@step("publish-report")
async def publish_report(book: Ledger, planned: PlannedCampaign) -> CampaignReport:
    """Write the table and the summary as artifacts."""
    counted = await asyncio.to_thread(_count, book, planned)
    unsent = await asyncio.to_thread(ledger.unsent_lines, book, planned.id)
    failures_file = await asyncio.to_thread(_write_failures, book, planned)
    reading = reading_of(planned)
    report = make_report(planned, reading, counted, failures_file)
    await acreate_table_artifact(
        table=table(report), key=artifact_key(planned.name, "results"), description=f"Results of {planned.name}"
    )
    await acreate_markdown_artifact(
        markdown=summary(report, reading, unsent),
        key=artifact_key(planned.name, "summary"),
        description=f"Summary of {planned.name}",
    )
    return report


def _count(book: Ledger, planned: PlannedCampaign) -> Counted:
    return Counted(
        ledger.totals(book, planned.id), ledger.totals_by_wave(book, planned.id), ledger.networks(book, planned.id)
    )


def _write_failures(book: Ledger, planned: PlannedCampaign) -> str:
    """Write the CSV of those who didn't get the message; return where, nothing when all did."""
    failures = ledger.failures(book, planned.id)
    if not failures:
        return ""
    path = failures_path(book, planned.name)
    write_failures(path, failures)
    return str(path)


async def announce(report: CampaignReport) -> None:
    """Tell automations: ``dovecote.campaign.finished``, or ``….wave-sent`` while others are to come."""
    name = WAVE_SENT if report.planned else FINISHED
    resource = f"dovecote.campaign.{report.campaign_id}"
    await tell([event(name, resource, report.campaign, report.model_dump(mode="json"))])
