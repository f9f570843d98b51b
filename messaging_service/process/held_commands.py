"""The commands ``dovecote held …``."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from messaging_service.commands import AsJson, Database, _one_sentence, _store

if TYPE_CHECKING:
    from messaging_service.process.held import Held

app = typer.Typer(no_args_is_help=True)

MessageIds = Annotated[list[str] | None, typer.Argument(help="Ids of held messages.", show_default=False)]
All = Annotated[bool, typer.Option("--all", help="All that are held.")]


@app.callback()
def held() -> None:
    """Messages that an operator may or may not have, directly on the store."""


@app.command("list")
def list_held(
    *,
    limit: Annotated[int, typer.Option(min=1, help="How many at most, the oldest first.")] = 100,
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Show messages that are held: a worker died while it handed them over, and the operator can't tell a repeat.

    Ask the operator about them, then resend or fail them.

    Example: dovecote held list --json
    """
    from messaging_service.clock import iso_or_none
    from messaging_service.process.steps import step_of
    from messaging_service.store import messages

    with _one_sentence(), _store(database) as store, store.reading() as connection:
        rows = [
            {
                "message_id": message.message_id,
                "subid": message.content.subid,
                "channel": step_of(message).channel.value,
                "tags": message.content.tags,
                "date": message.content.date,
                "updated": iso_or_none(message.ts_updated),
            }
            for message in messages.held(connection, limit)
        ]
    if as_json:
        typer.echo(json.dumps(rows))
        return
    for row in rows:
        typer.echo(f"{row['message_id']}  {row['channel']}  accepted {row['date']}  sub-account {row['subid']}")
    if not rows:
        typer.echo("No message is held.")


@app.command("resend")
def resend(message_ids: MessageIds = None, *, everything: All = False, database: Database = None) -> None:
    """Hand held messages over once more, those that the operator doesn't have. Nobody is charged again.

    Examples: dovecote held resend 01a1f756-93c8-79d6-88a5-adc79a9f9202-0; dovecote held resend --all
    """
    with _one_sentence():
        chosen = _chosen(message_ids, everything=everything)
        with _deciding(database) as decide:
            count = decide.resend(chosen)
    typer.echo(f"Messages to be handed over again: {count}.")


@app.command("fail")
def fail(message_ids: MessageIds = None, *, everything: All = False, database: Database = None) -> None:
    """Take held messages for failed: they are refunded and the account is told; a flow goes on with its next step.

    Examples: dovecote held fail 01a1f756-93c8-79d6-88a5-adc79a9f9202-0; dovecote held fail --all
    """
    with _one_sentence():
        chosen = _chosen(message_ids, everything=everything)
        with _deciding(database) as decide:
            count = decide.fail(chosen)
    typer.echo(f"Messages that failed: {count}.")


@contextmanager
def _deciding(database: str | None) -> Iterator["Held"]:
    from messaging_service.clock import SystemClock
    from messaging_service.process.held import Held

    with _store(database) as store:
        yield Held(store, SystemClock())


def _chosen(message_ids: list[str] | None, *, everything: bool) -> list[str] | None:
    """Return the ids that are meant; None means all. Raises WrongUsage."""
    from messaging_service.accounts.administration import WrongUsage

    if bool(message_ids) == everything:
        raise WrongUsage("Name messages, or --all, not both; `dovecote held list` shows them.")
    return message_ids or None
