"""The commands ``dovecote account …``."""

from typing import Annotated

import typer

from messaging_service.commands import Database, _one_sentence, _store

app = typer.Typer(no_args_is_help=True)


@app.callback()
def account() -> None:
    """Change settings of an account, directly on the store."""


@app.command("marketing-window")
def marketing_window(  # noqa: PLR0913 - the options of a command
    *,
    start: Annotated[str | None, typer.Option(help="From when, HH:MM.", show_default="08:00")] = None,
    end: Annotated[str | None, typer.Option(help="Until before when, HH:MM or 24:00.", show_default="20:00")] = None,
    country: Annotated[str, typer.Option(help="Only for numbers of this country, such as DE.")] = "",
    off: Annotated[bool, typer.Option("--off", help="At any time again; with --country, as everywhere else.")] = False,
    key: Annotated[
        str, typer.Option(help="A key of the account: its hint or sub-account.", show_default="the first")
    ] = "",
    database: Database = None,
) -> None:
    """Set the hours, on the recipients' clocks, in which promotional messages go; without options, show them.

    It is off until it is set. Messages that meet it closed wait for its opening.

    Examples: dovecote account marketing-window --start 08:00 --end 20:00; dovecote account marketing-window --off
    """
    from messaging_service.accounts import marketing
    from messaging_service.accounts.administration import WrongUsage

    with _one_sentence():
        if off and (start or end):
            raise WrongUsage("--off goes without --start and --end.")
        with _store(database) as store, store.writing() as connection:
            if off and country:
                marketing.forget_country(connection, key, country)
            elif off:
                marketing.switch_off(connection, key)
            elif start or end or country:
                marketing.set_hours(connection, key, marketing.Wanted(country, start, end))
            window = marketing.window_of_account(connection, key)
    if window is None:
        typer.echo("Promotional messages go at any time.")
        return
    typer.echo(f"Promotional messages go from {window.everywhere.start} to {window.everywhere.end}, local time.")
    for code, hours in sorted(window.countries.items()):
        typer.echo(f"In {code} from {hours.start} to {hours.end}.")
