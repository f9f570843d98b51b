"""The command ``dovecote campaign send``."""

from typing import Annotated

import typer

from deployments.campaign_options import (
    At,
    BulkFrom,
    Callback,
    CallingCode,
    Connector,
    Days,
    Holidays,
    Hours,
    Name,
    Numbers,
    Parameters,
    PhoneColumn,
    Recipients,
    Segment,
    Sender,
    Tag,
    Text,
    User,
    Window,
    WindowZone,
    ZoneColumn,
    ZoneIfUnknown,
    checked,
    segment_of,
    windows_of,
)
from deployments.campaign_words import FLOW, one_sentence, show_rows
from deployments.segment_commands import INTERRUPTED, PREFECT, Deployment, Prefect
from interface.client.commands import AsJson


def send(  # noqa: PLR0913 - the options of a command
    name: Name,
    *,
    text: Text = "",
    parameters: Parameters = None,
    recipients: Recipients = "",
    number: Numbers = None,
    segment: Segment = "",
    connector: Connector = "",
    user: User = "",
    phone_column: PhoneColumn = "",
    calling_code: CallingCode = "",
    sender: Sender = "",
    tag: Tag = "",
    callback: Callback = "",
    at: At = None,
    hours: Hours = "",
    days: Days = "",
    no_holidays: Holidays = False,
    zone_column: ZoneColumn = "",
    zone_if_unknown: ZoneIfUnknown = "",
    window: Window = "",
    window_zone: WindowZone = "",
    approval: Annotated[bool, typer.Option("--approval", help="Stop until a person approves the preview.")] = False,
    approval_hours: Annotated[
        float | None, typer.Option(help="With --approval: wait so long for it. Default: 24.")
    ] = None,
    rate: Annotated[float | None, typer.Option(help="Messages a second, at most.")] = None,
    bulk_from: BulkFrom = None,
    account: Annotated[str, typer.Option(help="Name of the block 'Messaging Account'. Default: main.")] = "",
    follow_minutes: Annotated[float | None, typer.Option(help="Wait for results so long at most. Default: 10.")] = None,
    quiet_seconds: Annotated[
        float | None, typer.Option(help="Stop so long after the last receipt. Default: 60.")
    ] = None,
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
    wanted = checked(
        name,
        parameters,
        text=text,
        recipients_file=recipients,
        recipients=number,
        recipients_segment=segment_of(segment, connector, user),
        phone_column=phone_column,
        calling_code=calling_code,
        sender=sender,
        tag=tag,
        callback=callback,
        datetime=at,
        **windows_of(
            hours=hours,
            window=window,
            days=days,
            no_holidays=no_holidays,
            zone_column=zone_column,
            zone_if_unknown=zone_if_unknown,
            window_zone=window_zone,
        ),
        approval=approval,
        approval_hours=approval_hours,
        rate=rate,
        bulk_from=bulk_from,
        account=account,
        follow_minutes=follow_minutes,
        quiet_seconds=quiet_seconds,
    )
    from rich.console import Console

    from deployments.flow_runs import prefect_server, show_started, start

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
