"""Commands that run everything on one machine."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Annotated, NoReturn

import typer

app = typer.Typer()

Port = Annotated[int, typer.Option(min=1, max=65535, help="Port of the messaging service.")]
PrefectPort = Annotated[int, typer.Option(min=1, max=65535, help="Port of the Prefect server.")]

VerifyPort = Annotated[int, typer.Option(min=1, max=65535, help="Port of verification for front ends.")]


@app.command(rich_help_panel="Try")
def demo(
    recipients: Annotated[
        Path | None, typer.Argument(help="CSV file of recipients.", show_default="examples/recipients.csv")
    ] = None,
    *,
    port: Port = 8800,
    prefect_port: PrefectPort = 4200,
    verify_port: VerifyPort = 8801,
    once: Annotated[bool, typer.Option("--once", help="Stop after the report.")] = False,
) -> None:
    """Send a campaign to 500 example recipients through a service and a Prefect server started for it.

    Nothing reaches a telephone. Everything keeps running until Ctrl-C, and its data stays for the next time.

    Example: dovecote demo my-recipients.csv --port 8810
    """
    with _stopped_in_order():
        from rich.console import Console

        from deployments.demo import demo_place, play, read_story
        from deployments.ports import Ports

        story = read_story(recipients)
        play(demo_place(Ports(port, prefect_port, verify_port)), story, Console(), stays=not once)


@app.command(rich_help_panel="Operate")
def up(port: Port = 8800, prefect_port: PrefectPort = 4200, verify_port: VerifyPort = 8801) -> None:
    """Run the messaging service, verification, a Prefect server and the flows on this machine until Ctrl-C.

    The service is the one of `dovecote serve`: the same settings, the same store.

    Example: dovecote up --prefect-port 4201
    """
    with _stopped_in_order():
        from deployments.local import run_here
        from deployments.ports import Ports

        run_here(Ports(port, prefect_port, verify_port), typer.echo)


@contextmanager
def _stopped_in_order() -> Iterator[None]:
    """End by Ctrl-C, SIGTERM or a closed terminal with everything stopped; say what can be put right in a sentence."""
    from deployments.problems import CannotRun
    from deployments.programs import STOP_SIGNALS
    from messaging_service.accounts.administration import NotPossible
    from messaging_service.settings import WrongSettings
    from messaging_service.store.migrate import NewerSchema

    for each in STOP_SIGNALS:
        signal.signal(each, _stop)
    try:
        yield
    except KeyboardInterrupt:
        typer.echo("Stopped.")
    except (CannotRun, NewerSchema, NotPossible, WrongSettings, ValueError) as problem:
        _end(str(problem))
    except OSError as problem:
        _end(f"{problem.filename or 'A file'}: {problem.strerror}.")


def _end(sentence: str) -> NoReturn:
    typer.echo(sentence, err=True)
    raise typer.Exit(1) from None


def _stop(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
