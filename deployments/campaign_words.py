"""What the commands ``dovecote campaign`` share on the terminal: what isn't there, what goes wrong, rows of figures."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

import typer

if TYPE_CHECKING:
    from flows.ledger import Ledger, PlannedCampaign

FLOW = "send-campaign"


def find_or_tell(book: "Ledger", name: str) -> "PlannedCampaign":
    """Return the campaign of this name; without one, say so and end with exit code 1."""
    from flows import ledger

    found = ledger.find_campaign(book, name)
    return found or end_without(name, "One whose run hasn't begun, or still reads its recipients, isn't in it yet.")


def end_without(name: str, more: str) -> NoReturn:
    """Say that the ledger has no campaign of this name, and more; end with exit code 1."""
    typer.echo(f"The ledger has no campaign {name!r}; see: dovecote ledger list. {more}", err=True)
    raise typer.Exit(1)


def show_rows(name: str, rows: list[dict[str, Any]], *, as_json: bool) -> None:
    """Print figures as a table, or as one JSON object."""
    if as_json:
        typer.echo(json.dumps({row["what"]: row["figure"] for row in rows}))
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table("What", "Figure", title=escape(name), title_justify="left")
    table.columns[1].justify = "right"
    for row in rows:
        table.add_row(escape(row["what"]), str(row["figure"]))
    Console().print(table)


@contextmanager
def one_sentence() -> Iterator[None]:
    """Tell what goes wrong in one sentence, with exit code 1."""
    from deployments.problems import CannotRun
    from flows.problems import FlowProblem

    try:
        yield
    except (CannotRun, FlowProblem) as problem:
        typer.echo(str(problem), err=True)
        raise typer.Exit(1) from None
    except OSError as problem:
        typer.echo(f"{problem.filename or 'A file'}: {problem.strerror}.", err=True)
        raise typer.Exit(1) from None
