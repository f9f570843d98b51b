"""The command ``dovecote stats``: the roll-up of statistics without a Prefect server."""

import datetime as dt
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.commands import Address as LedgerAddress
from flows.commands import opened
from interface.client.commands import HERE, Address, AsJson, Key, opened_client

if TYPE_CHECKING:
    from flows.ledger import Ledger
    from flows.ledger.statistics import Merged
    from flows.reports.statistics import RollUp
    from flows.rollups.periods import Dates
    from flows.rollups.roll_up import Scope
    from interface.client import MessagingClient

app = typer.Typer()

DROPPED = 3
ISO = "%Y-%m-%d"


@app.command(rich_help_panel="Send")
def stats(  # noqa: PLR0913 - the options of a command
    *,
    days: Annotated[int, typer.Option(min=1, max=3660, help="So many days, today (UTC) included.")] = 7,
    first: Annotated[
        dt.datetime | None, typer.Option("--from", formats=[ISO], help="First date (UTC), instead of --days.")
    ] = None,
    last: Annotated[
        dt.datetime | None, typer.Option("--to", formats=[ISO], help="Last date; with --from only. Default: today.")
    ] = None,
    tag: Annotated[list[str] | None, typer.Option(help="Only messages with this tag; again for more.")] = None,
    subid: Annotated[list[str] | None, typer.Option(help="Sub-account; again for more.")] = None,
    account: Annotated[str, typer.Option(help="Account under whose name the ledger keeps them.")] = "main",
    csv: Annotated[Path | None, typer.Option(help="Export the lines as CSV.", metavar="FILE")] = None,
    parquet: Annotated[Path | None, typer.Option(help="Export the lines as Parquet.", metavar="FILE")] = None,
    alert: Annotated[bool, typer.Option("--alert", help="End with 3 when a delivery rate dropped.")] = False,
    ledger: LedgerAddress = None,
    address: Address = HERE,
    key: Key = "",
    as_json: AsJson = False,
) -> None:
    """Show statistics by date, tags and network, compared with the period before, and delivery rates that dropped.

    What the service tells is kept in the ledger's database, so that a late receipt corrects the past.

    Example: dovecote stats --days 30 --tag spring-sale
    """
    from flows.problems import FlowProblem
    from flows.reports.statistics import RollUp, make_report
    from flows.rollups.exports import check_export
    from flows.rollups.roll_up import Statistics, evaluate, scope_of

    wanted = Statistics(
        dates=_dates(days, first, last),
        tags=tag or [],
        sub_accounts=subid or [],
        account=account,
        csv_file=str(csv or ""),
        parquet_file=str(parquet or ""),
    )
    try:
        check_export(wanted.csv_file, wanted.parquet_file)
        with opened(ledger) as book, opened_client(key, address) as client:
            scope = scope_of(wanted, "default", book.now())
            merged, calls = _merge_all(book, client, scope)
            roll_up = RollUp(scope, calls, merged, evaluate(book, wanted, scope))
    except FlowProblem as problem:
        typer.echo(str(problem), err=True)
        raise typer.Exit(1) from None
    if as_json:
        typer.echo(make_report(roll_up).model_dump_json())
    else:
        _print(roll_up)
    if alert and roll_up.found.drops:
        raise typer.Exit(DROPPED)


def _dates(days: int, first: dt.datetime | None, last: dt.datetime | None) -> "Dates":
    from flows.rollups.periods import DateRange, LastDays

    if first is None:
        if last is not None:
            raise typer.BadParameter("Give --from too.", param_hint="--to")
        return LastDays(last_days=days)
    end = last.date() if last else dt.datetime.now(dt.UTC).date()
    if end < first.date():
        raise typer.BadParameter(f"It must not follow {end}.", param_hint="--from")
    return DateRange(first=first.date(), last=end)


def _merge_all(book: "Ledger", client: "MessagingClient", scope: "Scope") -> tuple["Merged", int]:
    """Bring the table up to date, with a bar on standard error; return what has changed, and how many calls it took."""
    from rich.console import Console
    from rich.progress import track

    from flows.ledger.statistics import Merged, merge
    from flows.rollups.daily_lines import daily_lines
    from flows.rollups.periods import calls_of

    merged = Merged()
    calls = [(whose, dates) for whose in scope.whose for dates in calls_of(scope.to_read)]
    shown = Console(stderr=True)
    for whose, dates in track(
        calls, "Reading statistics", console=shown, transient=True, disable=not shown.is_terminal
    ):
        told = client.statistics(dates, subid=whose.sub_account)
        merged += merge(book, whose, daily_lines(told))
    return merged, len(calls)


def _print(roll_up: "RollUp") -> None:
    from rich.console import Console

    from flows.reports.statistics_tables import tables

    console = Console()
    for table in tables(roll_up):
        console.print(table)
