"""The commands ``dovecote connectors …``."""

from typing import Annotated

import typer

from messaging_service.commands import Database, _one_sentence, _store

app = typer.Typer(no_args_is_help=True, pretty_exceptions_show_locals=False)

Connector = Annotated[str, typer.Argument(help="Name of the connector, such as klaviyo.")]
AppUser = Annotated[str, typer.Option(help="Name by which calls will ask for these credentials.")]
Key = Annotated[
    str, typer.Option(help="A key of the account: its hint or sub-account.", show_default="the first account's")
]


@app.callback()
def connectors() -> None:
    """Credentials for marketing platforms, directly on the store."""


@app.command()
def connect(
    connector: Connector,
    *,
    app_userid: AppUser,
    secret: Annotated[
        str,
        typer.Option(
            envvar="DOVECOTE_CONNECTOR_SECRET",
            prompt="The platform's key",
            hide_input=True,
            help="What the platform wants to see; asked for when it isn't given.",
        ),
    ],
    key: Key = "",
    database: Database = None,
) -> None:
    """Keep what an account shows a platform, instead of what was there. Every key of the account may use it.

    Example: dovecote connectors connect klaviyo --app-userid shop
    """
    from messaging_service.accounts.administration import find_key
    from messaging_service.clock import SystemClock
    from messaging_service.connectors.kit.credentials import read_credentials
    from messaging_service.settings import read_settings
    from messaging_service.store import connector_credentials
    from messaging_service.verification.key import open_codes

    with _one_sentence():
        codes = open_codes(read_settings(database=database))
        credentials = read_credentials(connector, app_userid, secret, codes)
        with _store(database) as store, store.writing() as connection:
            account_id = find_key(connection, key)["account_id"]
            row = {"account_id": account_id, **credentials, "created_at": SystemClock().now()}
            connector_credentials.put(connection, row)
    typer.echo(f"{connector} is connected for {app_userid}.")


@app.command("list")
def list_credentials(*, database: Database = None) -> None:
    """Show which accounts have credentials for which users of which platforms; never the credentials.

    Example: dovecote connectors list
    """
    from messaging_service.store import connector_credentials

    with _one_sentence(), _store(database) as store, store.reading() as connection:
        rows = connector_credentials.overview(connection)
    if not rows:
        typer.echo("No account is connected to a platform.")
    for row in rows:
        typer.echo(f"{row['connector']}  {row['app_userid']}  {row['account']}")


@app.command()
def disconnect(connector: Connector, *, app_userid: AppUser, key: Key = "", database: Database = None) -> None:
    """Forget what an account shows a platform.

    Example: dovecote connectors disconnect klaviyo --app-userid shop
    """
    from messaging_service.accounts.administration import NotPossible, find_key
    from messaging_service.store import connector_credentials

    with _one_sentence(), _store(database) as store, store.writing() as connection:
        account_id = find_key(connection, key)["account_id"]
        if not connector_credentials.remove(connection, account_id, connector, app_userid):
            raise NotPossible(f"The account has no credentials for {app_userid!r} of {connector!r}.")
    typer.echo(f"{connector} is disconnected for {app_userid}.")
