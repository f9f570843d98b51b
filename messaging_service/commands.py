"""The service's part of the command line."""

from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True)


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on; 0 takes a free one.")] = None,
    database: Annotated[str | None, typer.Option(help="sqlite:///path or postgresql://user:password@host/name")] = None,
    role: Annotated[str | None, typer.Option(help="all, api or worker")] = None,
) -> None:
    """Run the messaging service."""
    from messaging_service import logs
    from messaging_service.listening import CannotStart
    from messaging_service.serve import serve as run
    from messaging_service.settings import WrongSettings, read_settings
    from messaging_service.store.migrate import NewerSchema

    try:
        settings = read_settings(host=host, port=port, database=database, role=role)
        logs.configure(settings.log_format, settings.log_level)
        run(settings, typer.echo)
    except (CannotStart, NewerSchema, WrongSettings, ValueError) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from None
