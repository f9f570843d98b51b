"""The commands ``dovecote verification …``."""

from typing import TYPE_CHECKING, Annotated

import typer

from messaging_service.commands import Database, _one_sentence, _store

if TYPE_CHECKING:
    from collections.abc import Mapping

    from messaging_service.verification.account import AccountVerification

app = typer.Typer(no_args_is_help=True, pretty_exceptions_show_locals=False)

Key = Annotated[
    str, typer.Option(help="A key of the account: its hint or sub-account.", show_default="the first account's")
]


@app.callback()
def verification() -> None:
    """Verification of phone numbers, directly on the store."""


@app.command("set")
def set_account(  # noqa: PLR0913 - the options of a command
    *,
    attempts: Annotated[int | None, typer.Option(help="Guesses at one code, 1 to 20.", show_default="6")] = None,
    language: Annotated[str | None, typer.Option(help="cs, sk, en or de.", show_default="en")] = None,
    template: Annotated[
        str | None, typer.Option(help="A text of your own with {code}; empty: the shipped one.")
    ] = None,
    origin: Annotated[str | None, typer.Option(help="Host for the last line @host #code; empty: none.")] = None,
    countries: Annotated[
        str | None, typer.Option(help="Countries in which numbers are verified, such as CZ,SK; empty: all.")
    ] = None,
    secret: Annotated[
        str | None,
        typer.Option(envvar="DOVECOTE_VERIFICATION_SECRET", help="Secret that signs proofs; empty: no proofs."),
    ] = None,
    new_secret: Annotated[bool, typer.Option("--new-secret", help="Make a secret and print it, this once.")] = False,
    key: Key = "",
    database: Database = None,
) -> None:
    """Change what is given, keep the rest, and show all of it. A running service goes by it at once.

    Examples: dovecote verification set --language cs --origin www.example.com --countries CZ,SK;
    dovecote verification set --new-secret
    """
    from messaging_service.accounts.keys import new_secret as make_secret

    made = make_secret() if new_secret else None
    given = {
        "attempts": attempts,
        "language": language,
        "template": template,
        "origin": origin,
        "countries": None if countries is None else tuple(countries.split(",")),
        "secret": made or secret,
    }
    with _one_sentence():
        settings = _changed(key, database, {name: value for name, value in given.items() if value is not None})
    _show(settings)
    if made:
        typer.echo("The secret, shown only now:")
        typer.echo(made)


@app.command("show")
def show(*, key: Key = "", database: Database = None) -> None:
    """Show what an account has set; never the secret.

    Example: dovecote verification show
    """
    with _one_sentence():
        settings = _changed(key, database, {})
    _show(settings)


@app.command("status")
def status(
    token: Annotated[str, typer.Argument(help="Token that the start answered.")], database: Database = None
) -> None:
    """Show how far a verification is: pending, code_sent, verified, failed or expired, and the attempts left.

    Example: dovecote verification status 5bF…
    """
    from messaging_service.accounts.administration import NotPossible
    from messaging_service.clock import SystemClock, iso
    from messaging_service.store import verification as sessions
    from messaging_service.verification.session import status_of

    with _one_sentence(), _store(database) as store, store.reading() as connection:
        session = sessions.find(connection, token)
        if session is None:
            raise NotPossible("There is no verification with this token.")
        result = sessions.message_result(connection, token)
    reached = status_of(session, result, SystemClock().now())
    typer.echo(f"{reached.value}; {session.attempts_left} attempts left; expires {iso(session.expires_at)}")


def _changed(key: str, database: str | None, given: "Mapping[str, object]") -> "AccountVerification":
    """Return an account's settings with some of them changed and written."""
    from messaging_service.accounts.administration import WrongUsage, find_key
    from messaging_service.settings import read_settings
    from messaging_service.verification.account import changed
    from messaging_service.verification.accounts import AccountBook
    from messaging_service.verification.key import open_codes

    book = AccountBook(open_codes(read_settings(database=database)))
    with _store(database) as store, store.writing() as connection:
        account_id = find_key(connection, key)["account_id"]
        try:
            settings = changed(book.read_one(connection, account_id), given)
        except ValueError as error:
            raise WrongUsage(str(error)) from None
        if given:
            book.write(connection, account_id, settings)
    return settings


def _show(settings: "AccountVerification") -> None:
    typer.echo(f"Attempts: {settings.attempts}")
    typer.echo(f"Language: {settings.language}")
    typer.echo(f"Countries: {', '.join(settings.countries) or 'all'}")
    typer.echo(f"Proofs: {'signed' if settings.secret.get_secret_value() else 'none, no secret is set'}")
    typer.echo(f"Text:\n{settings.text}")
