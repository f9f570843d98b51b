"""How far a campaign is, from the ledger alone, for the command line."""

from datetime import UTC, datetime

from pydantic import BaseModel, ConfigDict
from rich.markup import escape
from rich.table import Table

from flows import ledger
from flows.ledger import Ledger, PlannedCampaign
from flows.planning.written_plan import reading_of
from flows.reports.campaign import CampaignReport, Counted, make_report, table


class WaveStatus(BaseModel):
    """When a wave may be sent (ISO 8601, UTC; None: at any time), and how many of its calls or files have no answer."""

    model_config = ConfigDict(frozen=True)

    wave: int
    opens_at: str | None
    closes_at: str | None
    outstanding: int


class CampaignStatus(BaseModel):
    """How far a campaign is."""

    model_config = ConfigDict(frozen=True)

    report: CampaignReport
    approved: bool
    cancelled: bool
    waves: list[WaveStatus]

    @property
    def to_come(self) -> bool:
        """Whether something may still be sent, or a result come."""
        return self.report.waiting > self.report.planned or (self.report.planned > 0 and not self.cancelled)


def status_of(book: Ledger, campaign: PlannedCampaign) -> CampaignStatus:
    """Read how far a campaign is."""
    counted = Counted(
        ledger.totals(book, campaign.id), ledger.totals_by_wave(book, campaign.id), ledger.networks(book, campaign.id)
    )
    return CampaignStatus(
        report=make_report(campaign, reading_of(campaign), counted),
        approved=campaign.approved_at is not None,
        cancelled=campaign.cancelled_at is not None,
        waves=[
            WaveStatus(
                wave=one.number,
                opens_at=_iso(one.planned.opens_at),
                closes_at=_iso(one.planned.closes_at),
                outstanding=one.outstanding,
            )
            for one in ledger.read_waves(book, campaign.id)
        ],
    )


def status_table(status: CampaignStatus) -> Table:
    """Write the status as a table."""
    drawn = Table("What", "Figure", title=escape(status.report.campaign), title_justify="left")
    drawn.columns[1].justify = "right"
    drawn.add_row("State", _state(status))
    for row in table(status.report):
        drawn.add_row(escape(str(row["what"])), str(row["figure"]))
    for one in status.waves:
        if one.outstanding and one.opens_at:
            drawn.add_row(f"Wave {one.wave} opens (UTC)", f"{datetime.fromisoformat(one.opens_at):%Y-%m-%d %H:%M}")
    return drawn


def _state(status: CampaignStatus) -> str:
    if status.cancelled:
        return "cancelled"
    if not status.approved:
        return "waits for approval"
    return "under way" if status.to_come else "done"


def _iso(moment: float | None) -> str | None:
    return None if moment is None else datetime.fromtimestamp(moment, UTC).isoformat(timespec="seconds")
