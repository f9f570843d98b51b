"""The client's part of the command line: send a message, look what became of it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

if TYPE_CHECKING:
    from interface.client import MessagingClient

app = typer.Typer(no_args_is_help=True)

KEY_VARIABLE = "DOVECOTE_API_KEY"

Address = Annotated[
    str,
    typer.Option(
        envvar="DOVECOTE_ADDRESS", help="Root address of the service, below which /v2 and /v1 are.", metavar="URL"
    ),
]
Key = Annotated[
    str,
    typer.Option(
        help=f"The key; better in {KEY_VARIABLE}, where it doesn't show in the list of processes.", metavar="KEY"
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, for scripts.")]
HERE = "http://127.0.0.1:8800"
_WRONG_USAGE = 2  # as Typer's own


@app.command(rich_help_panel="Send")
def send(  # noqa: PLR0913 - the options of a command
    *,
    to: Annotated[list[str], typer.Option(help="Phone number; give it again for more, at most 10.")],
    body: Annotated[str, typer.Option(help="Text of the message.")],
    sender: Annotated[str, typer.Option(help="Name of at most 11 characters, or a number.")] = "",
    tag: Annotated[str, typer.Option(help="Labels, with commas between.")] = "",
    callback: Annotated[str, typer.Option(help="Address that gets the notifications.", metavar="URL")] = "",
    priority: Annotated[bool, typer.Option("--priority", help="Go before everything else.")] = False,
    follow: Annotated[
        bool, typer.Option("--follow", help="Print results as they come, until all are final or a minute is over.")
    ] = False,
    address: Address = HERE,
    key: Key = "",
    as_json: AsJson = False,
) -> None:
    """Send one text to up to 10 numbers.

    Exit code 0: all were accepted for processing; 1: not all, or the call failed; 2: wrong usage.

    Example: dovecote send --to "+420 777 123 456" --body "Your parcel is here" --follow
    """
    from interface.client.following import print_results
    from interface.client.sending import Wishes, notice_of, print_response, send_message

    wishes = Wishes(to, body, sender, tag, callback, priority)
    notice = notice_of(address)
    if notice:
        typer.echo(notice, err=True)
    with opened_client(key, address) as client:
        response = send_message(client, wishes)
        print_response(response, wishes, as_json=as_json)
        if follow:
            print_results(client, [item.message_id for item in response.accepted], as_json=as_json)
    if len(response.accepted) < len(to):
        raise typer.Exit(1)


@app.command(rich_help_panel="Send")
def status(
    message_id: Annotated[str, typer.Argument(help="The message_id that `send` printed.")],
    *,
    address: Address = HERE,
    key: Key = "",
    as_json: AsJson = False,
) -> None:
    """Show what became of a message.

    Example: dovecote status 01926f0e-3a52-7c41-9a6e-0d4c5b6a7f80
    """
    from interface.client.following import status_line

    with opened_client(key, address) as client:
        found = client.message_status(message_id)
    if as_json:
        typer.echo("null" if found is None else found.model_dump_json())
    elif found is not None:
        typer.echo(status_line(message_id, found))
    if found is None:
        typer.echo(f"This key has sent no message {message_id}.", err=True)
        raise typer.Exit(1)


@contextmanager
def opened_client(key: str, address: str) -> Iterator["MessagingClient"]:
    """Open a client; what goes wrong is one sentence and exit code 1, or 2 for what no service would take."""
    from pydantic import ValidationError

    from interface.client import Addresses, MessagingClient
    from interface.errors import ConnectionFailed, DovecoteError, Invalid, Unauthorized
    from interface.field_errors import field_errors

    chosen = key or os.environ.get(KEY_VARIABLE, "")
    if not chosen:
        _end(f"No key: put it into {KEY_VARIABLE}, or give --key.", _WRONG_USAGE)
    try:
        with MessagingClient(chosen, Addresses.of(address)) as client:
            yield client
    except ValidationError as error:
        _end(" ".join(problem.message for problem in field_errors(error)), _WRONG_USAGE)
    except ConnectionFailed:
        _end(f"Nothing answers at {address}; is the service running?")
    except Unauthorized as error:
        _end(f"The service refuses the key: {error}.")
    except Invalid as error:
        _end(" ".join(problem.message for problem in error.errors) or str(error))
    except DovecoteError as error:
        _end(str(error))


def _end(sentence: str, code: int = 1) -> NoReturn:
    typer.echo(sentence, err=True)
    raise typer.Exit(code) from None
