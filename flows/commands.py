"""Commands of the flows, mounted by ``dovecote``: what the ledger knows."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from flows.ledger import Ledger

app = typer.Typer(name="ledger", help="What the flows have sent, exactly once.", no_args_is_help=True)

Address = Annotated[
    str | None,
    typer.Option("--ledger", envvar="DOVECOTE_LEDGER", help="Database address; default: a file in the data directory."),
]


@app.command(name="list")
def list_campaigns(address: Address = None) -> None:
    """List the campaigns, the newest first.

    Example: dovecote ledger list
    """
    from rich.console import Console

    from flows.reports.ledger import campaigns_table

    with opened(address) as book:
        Console().print(campaigns_table(book))


@app.command()
def show(
    campaign: Annotated[str, typer.Argument(help="The campaign's name.")],
    address: Address = None,
) -> None:
    """Show one campaign: its calls by state, its recipients by result, and the reasons of those that got nothing.

    Example: dovecote ledger show spring-sale-2026
    """
    from rich.console import Console

    from flows import ledger
    from flows.reports.ledger import campaign_table

    with opened(address) as book:
        found = ledger.find_campaign(book, campaign)
        if found is None:
            typer.echo(f"The ledger has no campaign {campaign!r}; see: dovecote ledger list", err=True)
            raise typer.Exit(1)
        Console().print(campaign_table(book, found))


@contextmanager
def opened(address: str | None) -> Iterator["Ledger"]:
    """Open a ledger; what goes wrong is one sentence and exit code 1."""
    from flows.ledger import open_ledger
    from flows.problems import FlowProblem

    try:
        book = open_ledger(address)
    except FlowProblem as problem:
        typer.echo(str(problem), err=True)
        raise typer.Exit(1) from None
    try:
        yield book
    finally:
        book.close()
