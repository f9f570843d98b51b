"""Tables of what the ledger knows, for the command line."""

from datetime import UTC, datetime

from rich.markup import escape
from rich.table import Table

from flows import ledger
from flows.ledger import Ledger, PlannedCampaign


def campaigns_table(book: Ledger) -> Table:
    """List the campaigns, the newest first, with how far they are."""
    table = Table("Campaign", "Planned (UTC)", "Recipients", "Waiting", "Delivered")
    for campaign in ledger.list_campaigns(book):
        counted = ledger.totals(book, campaign.id)
        table.add_row(
            escape(campaign.name),
            _moment(campaign.created_at),
            str(counted.recipients),
            str(counted.waiting),
            str(counted.count("delivered", "seen")),
        )
    return table


def campaign_table(book: Ledger, campaign: PlannedCampaign) -> Table:
    """Count a campaign's calls by state, its recipients by result, and the reasons of those that got nothing."""
    counted = ledger.totals(book, campaign.id)
    table = Table("What", "Figure", title=f"{escape(campaign.name)} (planned {_moment(campaign.created_at)} UTC)")
    for state, number in sorted(ledger.batch_states(book, campaign.id).items()):
        table.add_row(f"Calls: {state.replace('_', ' ')}", str(number))
    table.add_section()
    for result, number in sorted(counted.by_result.items()):
        table.add_row(f"Recipients: {result}", str(number))
    table.add_section()
    for reason, number in sorted(counted.by_reason.items()):
        table.add_row(escape(f"Rejected: {reason}"), str(number))
    return table


def _moment(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M}"
