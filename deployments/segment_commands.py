"""The commands ``dovecote segment``: follow a segment of a marketing platform, by a flow of the Prefect server."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from interface.client.commands import AsJson

if TYPE_CHECKING:
    from flows.syncing import SegmentSync

app = typer.Typer(name="segment", help="Follow segments of marketing platforms.", no_args_is_help=True)

FLOW = "sync-segment"
PREFECT = "http://127.0.0.1:4200/api"
INTERRUPTED = 130
OPTIONS = {"local_hours": "hours"}
LABELS = {
    "members": "Members",
    "joined": "Joined",
    "left": "Left",
    "malformed": "No phone numbers",
    "suppressed": "Opted out or blacklisted",
    "capped": "At the frequency cap",
    "chosen": "Chosen",
    "accepted": "Accepted",
    "rejected": "Rejected",
    "delivered": "Delivered",
    "undelivered": "Undelivered",
    "without_receipt": "Without receipt",
    "waiting": "Waiting",
}

Prefect = Annotated[
    str, typer.Option(envvar="PREFECT_API_URL", help="Address of the Prefect server's API.", metavar="URL")
]
Deployment = Annotated[str | None, typer.Option(help="Name of the deployment, where the flow has several.")]


@app.callback()
def segment() -> None:
    """Follow segments of marketing platforms."""


@app.command()
def sync(  # noqa: PLR0913 - the options of a command
    name: Annotated[str, typer.Argument(help="Under which the members are remembered.")],
    *,
    connector: Annotated[str, typer.Option(help="Name of the platform, such as klaviyo.")],
    user: Annotated[str, typer.Option(help="The user whose credentials for the platform the service holds.")],
    segment: Annotated[str, typer.Option(help="Id or name of the segment.")],
    text: Annotated[str, typer.Option(help="What they get.")] = "",
    send_to: Annotated[str, typer.Option(help="new, all, left or nobody.", metavar="WHO")] = "new",
    cap: Annotated[
        str, typer.Option(help="At most so many messages a person within so many days.", metavar="N/DAYS")
    ] = "",
    hours: Annotated[str, typer.Option(help="On the recipients' own clocks.", metavar="HH:MM-HH:MM")] = "",
    may_shrink_by: Annotated[float, typer.Option(help="A share of the members, 0 to 1; 1: whatever happens.")] = 0.5,
    sender: Annotated[str, typer.Option(help="Name of at most 11 characters, or a number.")] = "",
    tag: Annotated[str, typer.Option(help="Labels, with commas between.")] = "",
    account: Annotated[str, typer.Option(help="Name of the block 'Messaging Account'.")] = "main",
    follow_minutes: Annotated[float, typer.Option(help="Wait for results so long at most.")] = 10.0,
    deployment: Deployment = None,
    prefect: Prefect = PREFECT,
    no_wait: Annotated[bool, typer.Option("--no-wait", help="Start the run and end.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write to those who joined a segment since the last time, and show what became of it.

    Runs the flow sync-segment on the Prefect server of `dovecote up`, or the one of --prefect. Exit codes: 0 done,
    1 not possible (a segment that shrank is), 2 wrong usage, 130 interrupted; the run goes on then.

    Example: dovecote segment sync welcome --connector demo --user me --segment "Spring sale" --text "Welcome!"
    """
    from rich.console import Console

    from deployments.flow_runs import prefect_server, show_started, start
    from deployments.problems import CannotRun

    values = {
        "name": name,
        "segment": {"connector": connector, "app_userid": user, "segment": segment},
        "text": text,
        "send_to": send_to,
        "cap": _cap(cap),
        "local_hours": _hours(hours),
        "may_shrink_by": may_shrink_by,
        "sender": sender,
        "tag": tag,
        "account": account,
        "follow_minutes": follow_minutes,
    }
    wanted = _checked(values)
    server = prefect_server(prefect)
    try:
        run = start(server, FLOW, deployment, {"segment": wanted.model_dump(mode="json")})
        if no_wait:
            show_started(run, as_json=as_json)
            return
        run.follow(f"Segment {segment}", Console(stderr=True))
        (figures,) = run.rows("-figures")
    except CannotRun as problem:
        typer.echo(str(problem), err=True)
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        typer.echo(f"The run goes on: {run.address}", err=True)
        raise typer.Exit(INTERRUPTED) from None
    finally:
        server.close()
    if as_json:
        typer.echo(json.dumps(figures))
    else:
        _print(figures)


def _cap(written: str) -> dict[str, str] | None:
    if not written:
        return None
    messages, slash, days = written.partition("/")
    if not slash:
        raise typer.BadParameter("Write messages/days, such as 2/7.", param_hint="--cap")
    return {"messages": messages, "days": days}


def _hours(written: str) -> dict[str, str] | None:
    if not written:
        return None
    start, dash, end = written.partition("-")
    if not dash:
        raise typer.BadParameter("Write the hours such as 09:00-20:00.", param_hint="--hours")
    return {"start": start, "end": end}


def _checked(values: Mapping[str, Any]) -> "SegmentSync":
    from pydantic import ValidationError

    from deployments.problems import first_of
    from flows.syncing import SegmentSync

    try:
        return SegmentSync.model_validate(values)
    except ValidationError as error:
        field, sentence = first_of(error)
        option = OPTIONS.get(field, field) or "text"
        raise typer.BadParameter(sentence, param_hint=f"--{option.replace('_', '-')}") from None


def _print(figures: Mapping[str, Any]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table("What", "People", title=escape(str(figures["segment_name"])), title_justify="left")
    table.columns[1].justify = "right"
    for name, label in LABELS.items():
        table.add_row(label, f"{figures[name]:,}")
    Console().print(table)
