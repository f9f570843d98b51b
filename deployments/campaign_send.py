"""The command ``dovecote campaign send``."""

from typing import Annotated

import typer

from deployments.campaign_described import Described, describing
from deployments.campaign_words import FLOW, one_sentence, show_rows
from deployments.segment_commands import INTERRUPTED, PREFECT, Deployment, Prefect
from interface.client.commands import AsJson


@describing
def send(  # noqa: PLR0913 - the options of a command
    described: Described,
    *,
    approval: Annotated[bool, typer.Option("--approval", help="Stop until a person approves the preview.")] = False,
    approval_hours: Annotated[
        float | None, typer.Option(help="With --approval: wait so long for it. Default: 24.")
    ] = None,
    rate: Annotated[float | None, typer.Option(help="Messages a second, at most.")] = None,
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
    wanted = described.campaign(
        approval=approval,
        approval_hours=approval_hours,
        rate=rate,
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
            run.follow(f"Campaign {wanted.name}", Console(stderr=True))
            show_rows(wanted.name, run.rows("-results"), as_json=as_json)
        except KeyboardInterrupt:
            typer.echo(f"The run goes on: {run.address}", err=True)
            raise typer.Exit(INTERRUPTED) from None
        finally:
            server.close()
