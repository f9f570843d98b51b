"""Commands of the flows, mounted by ``dovecote``: what the ledger knows."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Annotated

import typer

from interface.client.commands import AsJson

if TYPE_CHECKING:
    from flows.ledger import Ledger

app = typer.Typer(name="ledger", help="What the flows have sent, exactly once.", no_args_is_help=True)

LINES_AT_ONCE = 500

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
def show(  # noqa: PLR0913 - the options of a command
    campaign: Annotated[str, typer.Argument(help="The campaign's name.")],
    *,
    batches: Annotated[bool, typer.Option("--batches", help="Show each call and file, a line each.")] = False,
    recipients: Annotated[bool, typer.Option("--recipients", help="Show each recipient, a line each.")] = False,
    state: Annotated[str, typer.Option(help="Of those only the ones in this state, or with this result.")] = "",
    address: Address = None,
    as_json: AsJson = False,
) -> None:
    """Show one campaign: its calls by state, its recipients by result, and the reasons of those that got nothing.

    With --batches or --recipients each of them, as lines; with --json each line is an object.

    Example: dovecote ledger show spring-sale-2026 --recipients --state undelivered
    """
    from flows import ledger
    from flows.reports.ledger import campaign_table, in_ledger
    from flows.reports.ledger_lines import lines_of

    _check_listing(batches=batches, recipients=recipients, state=state)
    with opened(address) as book:
        found = ledger.find_campaign(book, campaign)
        if found is None:
            typer.echo(f"The ledger has no campaign {campaign!r}; see: dovecote ledger list", err=True)
            raise typer.Exit(1)
        if batches or recipients:
            lines = lines_of(book, found.id, batches=batches, state=state or None, as_json=as_json)
            while some := list(islice(lines, LINES_AT_ONCE)):
                typer.echo("\n".join(some))
            return
        counted = in_ledger(book, found)
    if as_json:
        typer.echo(counted.model_dump_json())
        return
    from rich.console import Console

    Console().print(campaign_table(counted))


def _check_listing(*, batches: bool, recipients: bool, state: str) -> None:
    """Raise what Typer tells as wrong usage."""
    from flows.ledger import BatchState
    from interface.results import Result

    if batches and recipients:
        raise typer.BadParameter("Give one of them.", param_hint="--batches, --recipients")
    if state and not (batches or recipients):
        raise typer.BadParameter("Say of what: --batches or --recipients.", param_hint="--state")
    known = list(BatchState) if batches else ["planned", "refused", *Result]
    if state and state not in known:
        raise typer.BadParameter(f"There are {', '.join(known)}.", param_hint="--state")


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
