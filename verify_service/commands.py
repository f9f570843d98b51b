"""The command ``dovecote verify``."""

from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True)


@app.command(rich_help_panel="Operate")
def verify(
    host: Annotated[str | None, typer.Option(help="Address to listen on.", show_default="127.0.0.1")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.", show_default="8801")
    ] = None,
    upstream: Annotated[
        str | None, typer.Option(help="Address of the verification API.", show_default="http://127.0.0.1:8800")
    ] = None,
) -> None:
    """Run phone verification for web and mobile front ends until Ctrl-C.

    DOVECOTE_VERIFY_UPSTREAM_KEY holds the key for the verification API. Every setting is a variable DOVECOTE_VERIFY_…

    Example: DOVECOTE_VERIFY_UPSTREAM_KEY=… dovecote verify --port 8801
    """
    from verify_service import logs
    from verify_service.migrations import NewerSchema
    from verify_service.serving import CannotStart, serve
    from verify_service.settings import WrongSettings, read_settings

    try:
        settings = read_settings(host=host, port=port, upstream=upstream)
        logs.configure(settings.log_format, settings.log_level)
        serve(settings, typer.echo)
    except KeyboardInterrupt:
        typer.echo("Stopped.")
    except (CannotStart, NewerSchema, WrongSettings, ValueError) as problem:
        typer.echo(str(problem), err=True)
        raise typer.Exit(1) from None
