"""A small receiver of callbacks for people who try them: prints each event, checks signatures."""

from collections.abc import Iterable
from datetime import datetime

from pydantic import ValidationError
from rich.console import Console
from rich.text import Text
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from interface.notifications import (
    Event,
    IncomingMessage,
    IncomingReplyMessage,
    LowCredit,
    SentMessage,
    parse_events,
)
from interface.results import Result
from interface.signatures import SIGNATURE_HEADER, check_callback
from messaging_service.running.by_hand import serve_by_hand

_COLOURS = {
    Result.SENDING: "cyan",
    Result.SENT: "blue",
    Result.DELIVERED: "green",
    Result.SEEN: "bold green",
    Result.UNDELIVERED: "yellow",
    Result.REJECTED: "red",
    Result.FAILED: "red",
}


def listen(host: str, port: int, secret: str) -> int:
    """Print the events that arrive until Ctrl-C; an empty ``secret`` checks nothing. Returns the exit code."""
    checked = "signatures are checked" if secret else "signatures aren't checked: no secret was given"
    application = receiver(secret, Console(highlight=False))
    return serve_by_hand(
        application, host, port, lambda address: f"Listening on {address} ({checked}); stop with Ctrl-C."
    )


def receiver(secret: str, console: Console) -> Starlette:
    """Return the application: 200 for events that it printed, 401 for a wrong signature, 400 for anything else."""

    async def receive(request: Request) -> Response:
        body = await request.body()
        if secret and not check_callback(body, request.headers.get(SIGNATURE_HEADER, ""), secret):
            console.print(Text("refused: the signature is missing or wrong", "red"))
            return Response(status_code=401)
        try:
            events = parse_events(body)
        except ValidationError:
            console.print(Text("refused: the body isn't an array of events", "red"))
            return Response(status_code=400)
        for event in events:
            console.print(line(event), soft_wrap=True)
        return Response()

    return Starlette(routes=[Route("/{path:path}", receive, methods=["POST"])])


def line(event: Event) -> Text:
    """Return an event as one line: time, result, message id, number, and what else there is to say."""
    if isinstance(event, SentMessage):
        details = event.details()
        cost = f"{details.count} parts, {details.price_czk:g} CZK / {details.price_eur:g} EUR" if details else ""
        return Text("  ").join(
            [
                _time(event.timestamp),
                Text(f"{event.result.value:<11}", _COLOURS.get(event.result, "")),
                *_printable([event.message_id, event.to.phone_number, event.gateway, event.result_info, cost]),
            ],
        )
    if isinstance(event, IncomingMessage):
        answered = event.message_id if isinstance(event, IncomingReplyMessage) else ""
        facts = [answered, f"{event.sender} → {event.recipient}", event.gateway, event.body]
        return Text("  ").join([_time(event.timestamp), Text(f"{'incoming':<11}", "magenta"), *_printable(facts)])
    if isinstance(event, LowCredit):
        facts = [f"{event.credit} {event.currency}", f"below {event.value} {event.currency}", event.subid]
        return Text("  ").join([_time(event.timestamp), Text(f"{'low credit':<11}", "red"), *_printable(facts)])
    return Text("an event of an unknown kind", "dim")


def _time(timestamp: int) -> Text:
    try:
        return Text(f"{datetime.fromtimestamp(timestamp).astimezone():%H:%M:%S}", "dim")
    except (OverflowError, OSError, ValueError):
        return Text("--:--:--", "dim")


def _printable(facts: Iterable[str]) -> list[Text]:
    """Keep what came over the network from steering the terminal."""
    return [Text("".join(each if each.isprintable() else "·" for each in fact)) for fact in facts if fact]
