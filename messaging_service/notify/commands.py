"""The commands ``dovecote callbacks …``."""

import json
from typing import Annotated

import typer

from messaging_service.commands import AsJson, Database, _one_sentence, _store

app = typer.Typer(no_args_is_help=True)

Key = Annotated[
    str, typer.Option(help="Only those of a key: its hint or sub-account.", show_default="those of all keys")
]


@app.callback()
def callbacks() -> None:
    """Notifications that were given up, directly on the store."""


@app.command("failed")
def failed(
    *,
    key: Key = "",
    limit: Annotated[int, typer.Option(min=1, help="How many of a key at most, the oldest first.")] = 100,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Show the deliveries of notifications that were given up, and why.

    Example: dovecote callbacks failed --key sub-1
    """
    from messaging_service.accounts.administration import find_key
    from messaging_service.clock import iso
    from messaging_service.store import callbacks, keys

    with _one_sentence(), _store(database) as store, store.reading() as connection:
        meant = [find_key(connection, key)] if key else keys.overview(connection)
        rows = [
            {
                "delivery_id": row["delivery_id"],
                "subid": owner["subid"],
                "url": row["url"],
                "events": row["event_count"],
                "attempts": row["attempts"],
                "error": row["last_error"],
                "created": iso(row["created_at"]),
            }
            for owner in meant
            for row in callbacks.failed(connection, owner["id"], limit=limit)
        ]
    if as_json:
        typer.echo(json.dumps(rows))
        return
    for row in rows:
        typer.echo(f"{row['delivery_id']}  {row['created']}  {row['events']} events  {row['url']}  {row['error']}")
    if not rows:
        typer.echo("No delivery was given up.")


@app.command("replay")
def replay(
    delivery_id: Annotated[str, typer.Argument(help="Id of one delivery.", show_default="")] = "",
    *,
    key: Key = "",
    everything: Annotated[bool, typer.Option("--all", help="All that were given up.")] = False,
    database: Database = None,
) -> None:
    """Deliver once more what was given up, with all its attempts. A running service begins within a second.

    Examples: dovecote callbacks replay 01a1f756-93c8-79d6-88a5-adc79a9f9202;
    dovecote callbacks replay --key sub-1; dovecote callbacks replay --all
    """
    from messaging_service.accounts.administration import WrongUsage, find_key
    from messaging_service.clock import SystemClock
    from messaging_service.store import callbacks

    with _one_sentence():
        if bool(delivery_id or key) == everything:
            raise WrongUsage("Name a delivery, or --key, or --all; `dovecote callbacks failed` shows them.")
        with _store(database) as store, store.writing() as connection:
            count = callbacks.replay(
                connection,
                SystemClock().now(),
                key_id=find_key(connection, key)["id"] if key else None,
                delivery_id=delivery_id or None,
            )
    typer.echo(f"Deliveries to be made again: {count}.")
