"""Commands about the automations of a Prefect server."""

from typing import Annotated

import typer

app = typer.Typer(name="automations", help="What Prefect does by itself when something happens.", no_args_is_help=True)


@app.callback()
def group() -> None:
    """Work on the Prefect server that PREFECT_API_URL names."""


@app.command()
def apply(
    notify: Annotated[
        list[str] | None,
        typer.Option(help="A notification block, by type and name; again for each.", show_default="nobody"),
    ] = None,
) -> None:
    """Create or update the automations: crashed and hanging runs are run again, failures and warnings are told.

    Example: dovecote automations apply --notify smtp-email/operations
    """
    import asyncio

    from deployments.automations.applying import apply_automations
    from deployments.problems import CannotRun

    try:
        names = asyncio.run(apply_automations(notify or []))
    except CannotRun as problem:
        typer.echo(str(problem), err=True)
        raise typer.Exit(1) from None
    for name in names:
        typer.echo(name)
