"""Follows messages by their status, for the command line."""

import time
from collections.abc import Iterable

import typer

from interface.client.clients import MessagingClient
from interface.responses import MessageStatus

_LOOK_EVERY_SECONDS = 0.25
_PATIENCE_SECONDS = 60.0
_WAITING = {"100", "200", None}


def print_results(client: MessagingClient, message_ids: Iterable[str], *, as_json: bool) -> None:
    """Print each change until every message has a final result, or for a minute."""
    seen: dict[str, str] = dict.fromkeys(message_ids, "")
    waiting = list(seen)
    ends = time.monotonic() + _PATIENCE_SECONDS
    while waiting and time.monotonic() < ends:
        for message_id in list(waiting):
            found = client.message_status(message_id)
            if found is None:
                continue
            line = found.model_dump_json() if as_json else status_line(message_id, found)
            if line != seen[message_id]:
                seen[message_id] = line
                typer.echo(line)
            if is_final(found):
                waiting.remove(message_id)
        if waiting:
            time.sleep(_LOOK_EVERY_SECONDS)
    for message_id in waiting:
        typer.echo(f"{message_id} has no final result yet; `dovecote status {message_id}` shows it later.", err=True)


def is_final(status: MessageStatus) -> bool:
    """Whether nothing more is to be expected than that the recipient reads it."""
    return status.delivery_code is not None or status.status_code not in _WAITING


def status_line(message_id: str, status: MessageStatus) -> str:
    """Return a status as one line: id, number, and what became of it."""
    moment = status.ts_updated or status.ts_created
    when = f"{moment:%H:%M:%S}Z" if moment else "--:--:--"
    price = f"  price {status.price:g}" if status.price else ""
    return f"{when}  {message_id}  {status.to.phone_number}  {_result(status)}{price}"


def _result(status: MessageStatus) -> str:
    by_delivery = {"201": "delivered", "202": "seen"}
    if status.delivery_code in by_delivery:
        return by_delivery[status.delivery_code]
    info = status.status_info or ""
    return f"rejected {info}" if status.status_code not in _WAITING else info
