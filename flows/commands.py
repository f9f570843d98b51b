"""Commands of the flows, mounted by ``dovecote``: what the ledger knows."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from flows import ledger
from flows.ledger import Ledger, PlannedCampaign, open_ledger
from flows.problems import FlowProblem

app = typer.Typer(name="ledger", help="What the flows have sent, exactly once.", no_args_is_help=True)

Address = Annotated[
    str | None,
    typer.Option("--ledger", envvar="DOVECOTE_LEDGER", help="Database address; default: a file in the data directory."),
]


@app.command(name="list")
def list_campaigns(address: Address = None) -> None:
    """List the campaigns, the newest first."""
    with _opened(address) as book:
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
    Console().print(table)


@app.command()
def show(
    campaign: Annotated[str, typer.Argument(help="The campaign's name.")],
    address: Address = None,
) -> None:
    """Show one campaign: its calls by state, its recipients by result, and the reasons of those that got nothing.

    Example: dovecote ledger show spring-sale-2026
    """
    with _opened(address) as book:
        found = ledger.find_campaign(book, campaign)
        if found is None:
            typer.echo(f"The ledger has no campaign {campaign!r}; see: dovecote ledger list", err=True)
            raise typer.Exit(1)
        Console().print(_table(book, found))


def _table(book: Ledger, campaign: PlannedCampaign) -> Table:
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


@contextmanager
def _opened(address: str | None) -> Iterator[Ledger]:
    try:
        book = open_ledger(address)
    except FlowProblem as problem:
        typer.echo(str(problem), err=True)
        raise typer.Exit(1) from None
    try:
        yield book
    finally:
        book.close()


def _moment(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M}"
