"""The service's part of the command line: run it, its keys and credit on the store itself, a receiver of callbacks."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

if TYPE_CHECKING:
    from messaging_service.store.engine import Store

app = typer.Typer(no_args_is_help=True)
keys_app = typer.Typer(no_args_is_help=True)
credit_app = typer.Typer(no_args_is_help=True)
app.add_typer(keys_app, name="keys", help="Keys, directly on the store.", rich_help_panel="Operate")
app.add_typer(credit_app, name="credit", help="Credit, directly on the store.", rich_help_panel="Operate")

Database = Annotated[
    str | None,
    typer.Option(
        help="sqlite:///path or postgresql://user:password@host/name.", show_default="DOVECOTE_DATABASE, else a file"
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]
_WRONG_USAGE = 2  # as Typer's own


def _role(role: str | None) -> str | None:
    from messaging_service.settings import Role

    if role is not None and role not in set(Role):
        raise typer.BadParameter(f"It must be one of {', '.join(Role)}.")
    return role


@app.command(rich_help_panel="Operate")
def serve(
    host: Annotated[str | None, typer.Option(help="Address to listen on.", show_default="127.0.0.1")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.", show_default="8800")
    ] = None,
    database: Database = None,
    role: Annotated[
        str | None, typer.Option(help="all, api or worker.", show_default="all", metavar="ROLE", callback=_role)
    ] = None,
) -> None:
    """Run the messaging service until Ctrl-C.

    A new store gets an account; its key is printed once. Every setting is a variable DOVECOTE_…

    Example: dovecote serve --port 8800 --database sqlite:///dovecote.db
    """
    with _one_sentence():
        from messaging_service.running import logs
        from messaging_service.running.serve import serve as run
        from messaging_service.settings import read_settings

        settings = read_settings(host=host, port=port, database=database, role=role)
        logs.configure(settings.log_format, settings.log_level)
        run(settings, typer.echo)


@app.command(rich_help_panel="Try")
def listen(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")] = 8900,
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    secret: Annotated[
        str,
        typer.Option(
            envvar="DOVECOTE_CALLBACK_SECRET", help="Secret that signs the callbacks of your key; empty checks nothing."
        ),
    ] = "",
) -> None:
    """Print the callbacks that arrive, and check their signatures, until Ctrl-C.

    Example: dovecote listen --port 8900, then dovecote send … --callback http://127.0.0.1:8900
    """
    from messaging_service.notify.listener import listen as run

    raise typer.Exit(run(host, port, secret))


@keys_app.command("create")
def create_key(  # noqa: PLR0913 - the options of a command
    *,
    account: Annotated[str, typer.Option(help="Open a new account of this name, with a wallet of its own.")] = "",
    subid: Annotated[str, typer.Option(help="Name of the sub-account.", show_default="the next free sub-N")] = "",
    note: Annotated[str, typer.Option(help="What the key is for.")] = "",
    scope: Annotated[str, typer.Option(help="full, rest-api, or api (send and read only).")] = "full",
    credit: Annotated[str, typer.Option(help="Credit of the new account.")] = "0",
    currency: Annotated[str, typer.Option(help="Currency of the new account: czk or eur.")] = "czk",
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Make a key and print it, this once.

    Without --account it is a sub-account of the first account and spends from its wallet.

    Examples: dovecote keys create --note "web shop"; dovecote keys create --account Shop --credit 500 --currency eur
    """
    from messaging_service.accounts.administration import create_account, create_sub_account
    from messaging_service.accounts.wishes import read_opening, read_sub_account
    from messaging_service.clock import SystemClock

    now = SystemClock().now()
    with _one_sentence():
        opening = read_opening(account, credit, currency) if account else None
        wanted = read_sub_account(subid, note, scope)
        with _store(database, may_be_new=bool(account)) as store, store.writing() as connection:
            new = create_account(connection, opening, now) if opening else create_sub_account(connection, wanted, now)
    if as_json:
        typer.echo(json.dumps({"key": new.secret, "account": new.account, "subid": new.subid}))
        return
    typer.echo(f"Account {new.account}, sub-account {new.subid}. The key, shown only now:")
    typer.echo(new.secret)


@keys_app.command("list")
def list_keys(
    *,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Show every key by its hint, with its account and balance.

    Example: dovecote keys list --json
    """
    from messaging_service.accounts.money import format_money
    from messaging_service.store import keys

    with _one_sentence(), _store(database) as store, store.reading() as connection:
        rows = [
            {
                "hint": row["hint"],
                "account": row["account"],
                "subid": row["subid"],
                "scope": row["scope"],
                "note": row["note"],
                "balance": format_money(row["balance"]),
                "currency": row["currency"],
                "disabled": bool(row["is_blocked"]),
            }
            for row in keys.overview(connection)
        ]
    if as_json:
        typer.echo(json.dumps(rows))
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table("Key", "Account", "Sub-account", "Scope", "Note", "Balance", "State")
    for row in rows:
        state = "disabled" if row["disabled"] else "in use"
        balance = f"{row['balance']} {row['currency']}"
        shown = (row["hint"], row["account"], row["subid"], row["scope"], row["note"], balance, state)
        table.add_row(*(Text(str(value)) for value in shown))
    Console().print(table)


@keys_app.command("disable")
def disable_key(
    key: Annotated[str, typer.Argument(help="The key's hint, or the name of its sub-account.")],
    database: Database = None,
) -> None:
    """Block a key; a running service refuses it at once.

    Example: dovecote keys disable sub-1
    """
    from messaging_service.accounts.administration import disable
    from messaging_service.store.key_changes import open_key_changes

    with _one_sentence(), _store(database) as store:
        with store.writing() as connection:
            disabled = disable(connection, key)
        open_key_changes(store).announce()
    typer.echo(f"The key {disabled['hint']} (sub-account {disabled['subid']}) is disabled.")


@credit_app.command("add")
def add_credit(
    amount: Annotated[str, typer.Argument(help="Amount in the wallet's currency, such as 250 or 12.50.")],
    *,
    key: Annotated[
        str, typer.Option(help="A key that spends from the wallet: its hint or sub-account.", show_default="the first")
    ] = "",
    vs: Annotated[str, typer.Option(help="The wallet's payment symbol, as /billing/topup tells it.")] = "",
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Add credit to a wallet and print the new balance.

    Examples: dovecote credit add 250 --key sub-1; dovecote credit add 250 --vs 1000000001
    """
    from messaging_service.accounts.administration import add_credit as add
    from messaging_service.accounts.administration import find_wallet
    from messaging_service.accounts.money import format_money
    from messaging_service.accounts.wishes import read_amount

    with _one_sentence():
        more = read_amount(amount)
        with _store(database) as store, store.writing() as connection:
            wallet = add(connection, find_wallet(connection, key, vs), more)
    balance = format_money(wallet.balance)
    if as_json:
        typer.echo(json.dumps({"balance": balance, "currency": wallet.currency}))
    else:
        typer.echo(f"The balance is now {balance} {wallet.currency}.")


@contextmanager
def _store(database: str | None, *, may_be_new: bool = False) -> Iterator["Store"]:
    """Open the store at its present schema."""
    from pathlib import Path

    from sqlalchemy import make_url

    from messaging_service.accounts.administration import NotPossible
    from messaging_service.settings import read_settings
    from messaging_service.store.engine import open_store
    from messaging_service.store.migrate import migrate

    address = read_settings(database=database).database
    url = make_url(address)
    if url.get_backend_name() == "sqlite" and not may_be_new and not Path(url.database or "").exists():
        raise NotPossible(f"There is no store {address}; `dovecote serve` makes one.")
    store = open_store(address)
    try:
        migrate(store)
        yield store
    finally:
        store.close()


@contextmanager
def _one_sentence() -> Iterator[None]:
    """Turn what a person can put right into one sentence, with exit code 1, or 2 for wrong usage."""
    from sqlalchemy.exc import ArgumentError, OperationalError

    from messaging_service.accounts.administration import NotPossible, WrongUsage
    from messaging_service.running.listening import CannotStart
    from messaging_service.settings import WrongSettings
    from messaging_service.store.migrate import NewerSchema

    try:
        yield
    except WrongUsage as error:
        _end(str(error), _WRONG_USAGE)
    except (CannotStart, NewerSchema, NotPossible, WrongSettings, ValueError) as error:
        _end(str(error))
    except ArgumentError:
        _end("DOVECOTE_DATABASE (--database) must be sqlite:///path or postgresql://user:password@host/name.")
    except OperationalError as error:
        reason = next(iter(str(error.orig).splitlines()), "")
        _end(f"The store can't be used: {reason}")
    except OSError as error:
        _end(f"{error.filename or 'A file'}: {error.strerror}.")


def _end(sentence: str, code: int = 1) -> NoReturn:
    typer.echo(sentence, err=True)
    raise typer.Exit(code) from None
