"""Sends a message as asked for on the command line."""

from collections.abc import Sequence
from dataclasses import dataclass

import httpx
import typer

from interface.client.clients import MessagingClient
from interface.message import MessageRequest
from interface.responses import SendResponse
from interface.texts import DEFAULT_TAG

_PATIENCE_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Wishes:
    """One message as its options say; an empty text stands for an option that wasn't given."""

    to: Sequence[str]
    body: str
    sender: str
    tag: str
    callback: str
    priority: bool


def send_message(client: MessagingClient, wishes: Wishes) -> SendResponse:
    """Send it. Raises what the client raises, and `pydantic.ValidationError` for what no service would take."""
    message = MessageRequest(
        to=[{"phone_number": number} for number in wishes.to],
        body=wishes.body,
        sender=wishes.sender or None,
        tag=wishes.tag or DEFAULT_TAG,
        callback=wishes.callback or None,
    )
    return client.send_priority(message) if wishes.priority else client.send(message)


def print_response(response: SendResponse, wishes: Wishes, *, as_json: bool) -> None:
    """Print what was accepted, with the ids, and what wasn't."""
    if as_json:
        typer.echo(response.model_dump_json())
        return
    for item in response.accepted:
        typer.echo(f"accepted  {item.message_id}  {wishes.to[int(item.key)]}")
    for refused in response.rejected:
        typer.echo(f"refused   {wishes.to[int(refused.key)]}: {refused.message}", err=True)


def notice_of(address: str) -> str:
    """Return what the service says about its way out (such as that it is simulated); empty when it says nothing."""
    try:
        answer = httpx.get(f"{address.rstrip('/')}/readyz", timeout=_PATIENCE_SECONDS)
        notice = answer.json().get("notice", "")
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, AttributeError):
        return ""  # another provider, or nobody: the call itself tells
    return notice if isinstance(notice, str) else ""
