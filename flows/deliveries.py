"""The flow ``reconcile_deliveries``: the ledger against the provider; repairs the ledger and says what is odd."""

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

from prefect import flow
from prefect.artifacts import acreate_markdown_artifact, acreate_table_artifact
from pydantic import BaseModel, ConfigDict, Field

from flows import events, ledger
from flows.connections import load_account, opened_ledger, provider_of
from flows.ledger import Ledger, PlannedCampaign
from flows.ledger.reconciling import answered_batches
from flows.parameters import Name
from flows.planning.tags import slug
from flows.provider import Provider
from flows.sending.reconciling import Comparison, Finding, counted
from flows.tasks.deliveries import Doubts, compare_deliveries, settle_doubts

EVENT = "dovecote.deliveries.differ"
BATCHES_A_TASK = 50
FINDINGS_SHOWN = 1_000
DAY = 24 * 3600
HOUR = 3600


class Reconciliation(BaseModel):
    """Which campaigns to compare with the provider, and what counts as stuck."""

    model_config = ConfigDict(frozen=True)

    account: Name = Field(
        default="main",
        title="Account",
        description="Name of the block 'Messaging Account' through which the campaigns were sent.",
        examples=["main"],
    )
    days: Annotated[int, Field(ge=1, le=90)] = Field(
        default=7, title="Days back", description="Campaigns planned in the last so many days.", examples=[7]
    )
    stuck_hours: Annotated[float, Field(gt=0, le=720)] = Field(
        default=24,
        title="Stuck after (hours)",
        description="A message that was taken so long ago and is neither sent nor rejected counts as stuck. Choose "
        "more than the longest time for which your campaigns wait for their delivery window.",
        examples=[24],
    )
    thorough: bool = Field(
        default=False,
        title="Finished ones too",
        description="Also look at calls whose results are all final, for messages that the ledger doesn't know: one "
        "call of GET /messages for each hundred recipients.",
    )
    status_calls: Annotated[int, Field(ge=0, le=10_000)] = Field(
        default=500,
        title="At most so many status calls",
        description="Messages of which the list says nothing are asked for one by one, at most so many in a run.",
        examples=[500],
    )


class ReconciliationReport(BaseModel):
    """What was found. ``repaired`` counts results, calls are counted by what became of them, the rest are messages."""

    model_config = ConfigDict(frozen=True)

    account: str
    campaigns: int
    repaired: int = Field(description="Results that the ledger had missed and has now.")
    found: int = Field(description="Calls without an answer that had been taken.")
    planned_again: int = Field(description="Calls without an answer that had not; sent when the campaign is started.")
    in_doubt: int = Field(description="Calls without an answer that can't be settled yet.")
    at_work: int = Field(description="Calls that another run is making now.")
    stuck: int
    missing: int
    unknown: int

    @property
    def is_odd(self) -> bool:
        """Whether a person should look."""
        return bool(self.stuck or self.missing or self.unknown or self.planned_again or self.in_doubt)


@flow(name="reconcile-deliveries", flow_run_name="reconcile-{reconciliation.account}", persist_result=False)
async def reconcile_deliveries(
    reconciliation: Reconciliation = Reconciliation(),  # noqa: B008  (frozen)
) -> ReconciliationReport:
    """Compare the ledger with the provider: settle calls without an answer, record missed results, say what is odd.

    Sends nothing. May run beside campaigns; what a run is sending is left to it.

    Args:
        reconciliation: Which campaigns to compare, and what counts as stuck.

    """
    account = await load_account(reconciliation.account)
    async with opened_ledger(account) as book, provider_of(account) as provider:
        campaigns = await asyncio.to_thread(recent_campaigns, book, reconciliation)
        doubts, comparison = await compare_all(book, provider, campaigns, reconciliation)
    report = ReconciliationReport(
        account=reconciliation.account,
        campaigns=len(campaigns),
        repaired=comparison.repaired,
        **asdict(doubts),
        **counted(comparison.findings),
    )
    await publish(report, comparison.findings)
    return report


async def compare_all(
    book: Ledger, provider: Provider, campaigns: Sequence[PlannedCampaign], wishes: Reconciliation
) -> tuple[Doubts, Comparison]:
    """Compare campaign by campaign; return what became of doubts and what was repaired and found odd."""
    doubts, total = Doubts(), Comparison(provider, book, wishes.status_calls)
    for campaign in campaigns:
        doubts += await settle_doubts(book, campaign, provider)
        batch_ids = await asyncio.to_thread(answered_batches, book, campaign.id, unfinished=not wishes.thorough)
        stuck_before = book.now() - wishes.stuck_hours * HOUR
        for start in range(0, len(batch_ids), BATCHES_A_TASK):
            some = batch_ids[start : start + BATCHES_A_TASK]
            total = await compare_deliveries(total, campaign.name, some, stuck_before)
    return doubts, total


def recent_campaigns(book: Ledger, wishes: Reconciliation) -> list[PlannedCampaign]:
    """List the account's campaigns planned in the last days, the oldest first."""
    since = book.now() - wishes.days * DAY
    everything = reversed(ledger.list_campaigns(book))
    return [one for one in everything if one.settings.account == wishes.account and one.created_at >= since]


async def publish(report: ReconciliationReport, findings: Sequence[Finding]) -> None:
    """Leave the figures and what is odd as artifacts, and tell automations when something is."""
    key = f"reconciliation-{slug(report.account)}"
    figures = [{"what": name.replace("_", " "), "figure": figure} for name, figure in report.model_dump().items()]
    await acreate_table_artifact(figures, key=key, description=f"Ledger and provider: {report.account}")
    if not report.is_odd:
        return
    if findings:
        rows = [asdict(finding) for finding in findings[:FINDINGS_SHOWN]]
        await acreate_table_artifact(rows, key=f"{key}-findings", description="Messages to look at")
    await acreate_markdown_artifact(advice(report), key=f"{key}-advice", description="What to do")
    payload = report.model_dump(mode="json")
    await events.tell([events.event(EVENT, f"dovecote.account.{report.account}", report.account, payload)])


def advice(report: ReconciliationReport) -> str:
    """Write what a person should do about each kind, in Markdown."""
    to_do = {
        f"{report.planned_again} calls never reached the provider": "start their campaigns again to send them.",
        f"{report.in_doubt} calls are in doubt": "run this again later; it looks once more.",
        f"{report.stuck} messages are stuck": "ask the provider about their ids; nothing was charged yet.",
        f"{report.missing} messages are missing": "the provider took them and doesn't know them now: ask it.",
        f"{report.unknown} messages are unknown": "somebody else sends under this tag, or one was sent twice: ask who.",
    }
    return "\n".join(f"- **{what}**: {do}" for what, do in to_do.items() if not what.startswith("0 "))
