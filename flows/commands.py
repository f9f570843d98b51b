"""Commands of the flows, mounted by ``dovecote``: what the ledger knows."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from interface.client.commands import AsJson

if TYPE_CHECKING:
    from flows.ledger import Ledger

app = typer.Typer(name="ledger", help="What the flows have sent, exactly once.", no_args_is_help=True)

Address = Annotated[
    str | None,
    typer.Option("--ledger", envvar="DOVECOTE_LEDGER", help="Database address; default: a file in the data directory."),
]


@app.command(name="list")
def list_campaigns(*, address: Address = None, as_json: AsJson = False) -> None:
    """List the campaigns, the newest first.

    Example: dovecote ledger list --json
    """
    from flows.reports.ledger import campaigns_table, listed

    with opened(address) as book:
        campaigns = listed(book)
    if as_json:
        typer.echo(json.dumps([one.model_dump(mode="json") for one in campaigns]))
        return
    from rich.console import Console

    Console().print(campaigns_table(campaigns))


@app.command()
def show(
    campaign: Annotated[str, typer.Argument(help="The campaign's name.")],
    *,
    address: Address = None,
    as_json: AsJson = False,
) -> None:
    """Show one campaign: its calls by state, its recipients by result, and the reasons of those that got nothing.

    Example: dovecote ledger show spring-sale-2026
    """
    from flows import ledger
    from flows.reports.ledger import campaign_table, in_ledger

    with opened(address) as book:
        found = ledger.find_campaign(book, campaign)
        if found is None:
            typer.echo(f"The ledger has no campaign {campaign!r}; see: dovecote ledger list", err=True)
            raise typer.Exit(1)
        counted = in_ledger(book, found)
    if as_json:
        typer.echo(counted.model_dump_json())
        return
    from rich.console import Console

    Console().print(campaign_table(counted))


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
