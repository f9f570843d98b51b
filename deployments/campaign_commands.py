"""The commands ``dovecote campaign``: send through a flow of the Prefect server, preview, look, and cancel."""

from pathlib import Path
from typing import Annotated

import typer

from deployments.campaign_cancel import cancel
from deployments.campaign_options import (
    At,
    BulkFrom,
    CallingCode,
    Days,
    Holidays,
    Hours,
    Name,
    Numbers,
    PhoneColumn,
    Recipients,
    Sender,
    Tag,
    Text,
    ZoneColumn,
    absolute,
    checked,
    local_hours,
)
from deployments.campaign_words import FLOW, find_or_tell, one_sentence, show_rows
from deployments.segment_commands import INTERRUPTED, PREFECT, Deployment, Prefect
from flows.commands import Address as LedgerAddress
from flows.commands import opened
from interface.client.commands import HERE, Address, AsJson, Key, opened_client

app = typer.Typer(name="campaign", help="Send one text to many recipients, each exactly once.", no_args_is_help=True)

NOT_ENOUGH_CREDIT = STILL_WAITING = 3


@app.command()
def send(  # noqa: PLR0913 - the options of a command
    name: Name,
    *,
    text: Text,
    recipients: Recipients = "",
    number: Numbers = None,
    phone_column: PhoneColumn = "",
    calling_code: CallingCode = "420",
    sender: Sender = "",
    tag: Tag = "",
    at: At = None,
    hours: Hours = "",
    days: Days = "",
    no_holidays: Holidays = False,
    zone_column: ZoneColumn = "",
    approval: Annotated[bool, typer.Option("--approval", help="Stop until a person approves the preview.")] = False,
    rate: Annotated[float | None, typer.Option(help="Messages a second, at most.")] = None,
    bulk_from: BulkFrom = 10_000,
    account: Annotated[str, typer.Option(help="Name of the block 'Messaging Account'.")] = "main",
    follow_minutes: Annotated[float, typer.Option(help="Wait for results so long at most.")] = 10.0,
    deployment: Deployment = None,
    prefect: Prefect = PREFECT,
    no_wait: Annotated[bool, typer.Option("--no-wait", help="Start the run and end.")] = False,
    as_json: AsJson = False,
) -> None:
    """Send a text to many recipients, and show what became of it. The same again continues: nobody gets it twice.

    Runs the flow send-campaign on the Prefect server of `dovecote up`, or the one of --prefect. Exit codes: 0 done,
    1 not possible, refused or cancelled, 2 wrong usage, 130 interrupted; the run goes on then.

    Example: dovecote campaign send spring-sale --recipients people.csv --text "Hello {name}" --hours 09:00-20:00
    """
    from rich.console import Console

    from deployments.flow_runs import prefect_server, show_started, start

    wanted = checked(
        name=name,
        text=text,
        recipients_file=absolute(recipients),
        recipients=number or [],
        phone_column=phone_column,
        calling_code=calling_code,
        sender=sender,
        tag=tag,
        datetime=at,
        local_hours=local_hours(hours, days, zone_column, no_holidays=no_holidays),
        approval=approval,
        rate=rate,
        bulk_from=bulk_from,
        account=account,
        follow_minutes=follow_minutes,
    )
    server = prefect_server(prefect)
    with one_sentence():
        run = start(server, FLOW, deployment, {"campaign": wanted.model_dump(mode="json")})
        try:
            if no_wait:
                show_started(run, as_json=as_json)
                return
            run.follow(f"Campaign {name}", Console(stderr=True))
            show_rows(name, run.rows("-results"), as_json=as_json)
        except KeyboardInterrupt:
            typer.echo(f"The run goes on: {run.address}", err=True)
            raise typer.Exit(INTERRUPTED) from None
        finally:
            server.close()


@app.command()
def preview(  # noqa: PLR0913 - the options of a command
    name: Name,
    *,
    text: Text,
    recipients: Recipients = "",
    number: Numbers = None,
    phone_column: PhoneColumn = "",
    calling_code: CallingCode = "420",
    sender: Sender = "",
    tag: Tag = "",
    at: At = None,
    hours: Hours = "",
    days: Days = "",
    no_holidays: Holidays = False,
    zone_column: ZoneColumn = "",
    bulk_from: BulkFrom = 10_000,
    address: Address = HERE,
    key: Key = "",
    as_json: AsJson = False,
) -> None:
    """Show what a campaign would do: recipients, countries, prices, waves, the longest text. Nothing is sent.

    Exit codes: 0, 1 not possible, 2 wrong usage, 3 the credit doesn't suffice.

    Example: dovecote campaign preview spring-sale --recipients people.csv --text "Hello {name}"
    """
    wanted = checked(
        name=name,
        text=text,
        recipients_file=recipients,
        recipients=number or [],
        phone_column=phone_column,
        calling_code=calling_code,
        sender=sender,
        tag=tag,
        datetime=at,
        local_hours=local_hours(hours, days, zone_column, no_holidays=no_holidays),
        bulk_from=bulk_from,
    )
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
