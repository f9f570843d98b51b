"""The commands ``dovecote campaign``: send through a flow of the Prefect server, preview, look, and cancel."""

from pathlib import Path
from typing import Annotated

import typer

from deployments.campaign_cancel import cancel
from deployments.campaign_described import Described, describing
from deployments.campaign_options import Name
from deployments.campaign_send import send
from deployments.campaign_words import find_or_tell, one_sentence
from flows.commands import Address as LedgerAddress
from flows.commands import opened
from interface.client.commands import HERE, Address, AsJson, Key, opened_client

app = typer.Typer(name="campaign", help="Send one text to many recipients, each exactly once.", no_args_is_help=True)

NOT_ENOUGH_CREDIT = STILL_WAITING = 3


app.command()(send)


@app.command()
@describing
def preview(
    described: Described,
    *,
    address: Address = HERE,
    key: Key = "",
    as_json: AsJson = False,
) -> None:
    """Show what a campaign would do: recipients, countries, prices, waves, the longest text. Nothing is sent.

    Exit codes: 0, 1 not possible, 2 wrong usage, 3 the credit doesn't suffice.

    Example: dovecote campaign preview spring-sale --recipients people.csv --text "Hello {name}"
    """
    wanted = described.campaign()
    from rich.console import Console
    from rich.markdown import Markdown

    from deployments.campaign_preview import preview_of
    from flows.reports.preview import preview_page

    with one_sentence(), opened_client(key, address):
        made = preview_of(wanted, key, address)
    if as_json:
        typer.echo(made.model_dump_json())
    else:
        Console().print(Markdown(preview_page(made)))
    if made.credit_suffices is False:
        raise typer.Exit(NOT_ENOUGH_CREDIT)


@app.command()
def status(
    name: Name,
    *,
    failures: Annotated[
        Path | None, typer.Option(help="Write those who didn't get it as CSV, with their numbers.", metavar="FILE")
    ] = None,
    ledger: LedgerAddress = None,
    as_json: AsJson = False,
) -> None:
    """Show how far a campaign is: its figures, its waves, and whether it waits, was approved or cancelled.

    Exit codes: 0 all that is to come has come, 1 there is no such campaign, 3 something is still to come.

    Example: dovecote campaign status spring-sale --failures failures.csv
    """
    from flows import ledger as the_ledger
    from flows.reports.campaign_status import status_of, status_table
    from flows.sending.failures_file import write_failures

    with opened(ledger) as book:
        found = find_or_tell(book, name)
        shown = status_of(book, found)
        if failures is not None:
            with one_sentence():
                write_failures(failures, the_ledger.failures(book, found.id))
    if as_json:
        typer.echo(shown.model_dump_json())
    else:
        from rich.console import Console

        Console().print(status_table(shown))
    if shown.to_come:
        raise typer.Exit(STILL_WAITING)


app.command()(cancel)
