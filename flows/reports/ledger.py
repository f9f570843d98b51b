"""What the ledger knows of campaigns, as tables and as JSON for the command line."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from pydantic import BaseModel, ConfigDict
from rich.markup import escape
from rich.table import Table

from flows import ledger
from flows.ledger import Ledger, PlannedCampaign


class CampaignInList(BaseModel):
    """How far a campaign is, counted in recipients; ``planned_at`` is UTC."""

    model_config = ConfigDict(frozen=True)

    campaign: str
    planned_at: datetime
    recipients: int
    waiting: int
    delivered: int


class CampaignInLedger(BaseModel):
    """A campaign's calls by state, its recipients by result, and those rejected by reason; ``planned_at`` is UTC."""

    model_config = ConfigDict(frozen=True)

    campaign: str
    planned_at: datetime
    calls: Mapping[str, int]
    recipients: Mapping[str, int]
    rejected: Mapping[str, int]


def listed(book: Ledger) -> list[CampaignInList]:
    """Read all campaigns, the newest first."""
    return [_in_list(book, campaign) for campaign in ledger.list_campaigns(book)]


def in_ledger(book: Ledger, campaign: PlannedCampaign) -> CampaignInLedger:
    """Count one campaign."""
    counted = ledger.totals(book, campaign.id)
    return CampaignInLedger(
        campaign=campaign.name,
        planned_at=_moment(campaign),
        calls=_by_name(ledger.batch_states(book, campaign.id)),
        recipients=_by_name(counted.by_result),
        rejected=_by_name(counted.by_reason),
    )


def campaigns_table(campaigns: Sequence[CampaignInList]) -> Table:
    """Draw the list."""
    table = Table("Campaign", "Planned (UTC)", "Recipients", "Waiting", "Delivered")
    for one in campaigns:
        table.add_row(
            escape(one.campaign), _minute(one.planned_at), str(one.recipients), str(one.waiting), str(one.delivered)
        )
    return table


def campaign_table(campaign: CampaignInLedger) -> Table:
    """Draw one campaign."""
    table = Table("What", "Figure", title=f"{escape(campaign.campaign)} (planned {_minute(campaign.planned_at)} UTC)")
    for state, number in campaign.calls.items():
        table.add_row(f"Calls: {state.replace('_', ' ')}", str(number))
    table.add_section()
    for result, number in campaign.recipients.items():
        table.add_row(f"Recipients: {result}", str(number))
    table.add_section()
    for reason, number in campaign.rejected.items():
        table.add_row(escape(f"Rejected: {reason}"), str(number))
    return table


def _in_list(book: Ledger, campaign: PlannedCampaign) -> CampaignInList:
    counted = ledger.totals(book, campaign.id)
    return CampaignInList(
        campaign=campaign.name,
        planned_at=_moment(campaign),
        recipients=counted.recipients,
        waiting=counted.waiting,
        delivered=counted.count("delivered", "seen"),
    )


def _by_name(counted: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counted.items()))


def _moment(campaign: PlannedCampaign) -> datetime:
    return datetime.fromtimestamp(round(campaign.created_at), UTC)


def _minute(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M}"
