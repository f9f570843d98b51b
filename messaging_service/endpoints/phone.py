"""The virtual phone: ``/phone`` shows what the simulated operator delivered, live, and lets a person answer.

It has no key and shows everything, verification codes too. So it is served to this machine only: the service listens on
loopback, and calls find nothing that come through a proxy, from a page of another origin, or by another name than this
machine's, which a hostile page may have pointed here.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import orjson
from pydantic import BaseModel, StringConstraints
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.routing import Route

from interface.calls import Base
from interface.flow_steps import Channel
from interface.texts import Sender
from messaging_service.channels.simulated.screen import Screen, Text
from messaging_service.channels.simulated.telephones import Telephones
from messaging_service.clock import Clock
from messaging_service.endpoints.bodies import read_model
from messaging_service.endpoints.headers import header
from messaging_service.endpoints.problems import json_response, refused
from messaging_service.refusals import Refusal
from messaging_service.settings import is_loopback
from messaging_service.store.engine import Store

POLL_SECONDS = 0.2
_ALIVE_AFTER = 75  # polls without news; then a comment finds out whether anybody listens
_FILES = Path(__file__).with_name("phone_page")
_PAGE = "phone.html"
_OF_PROXIES = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via")
_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "cache-control": "no-cache",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}


class PhoneAnswer(BaseModel):
    """What a person writes on the virtual phone of ``number``, to the sender ``recipient``."""

    number: Annotated[str, StringConstraints(pattern=r"^[0-9]{7,15}$")]
    recipient: Sender
    channel: Channel = Channel.SMS
    text: Annotated[str, StringConstraints(pattern=r"^[^\x00]+$", max_length=1000)]


class PhonePages:
    """Serves the page, its stream of texts, and takes answers."""

    def __init__(self, records: Store, clock: Clock) -> None:
        self._records = records
        self._clock = clock
        self._telephones = Telephones(records, clock)
        self._stopping = asyncio.Event()

    def routes(self) -> list[Route]:
        """Return the routes of the pages."""
        files = [
            Route(path, self._file, name=name)
            for path, name in [
                ("/phone", _PAGE),
                ("/phone/phone.css", "phone.css"),
                ("/phone/phone.js", "phone.js"),
                ("/phone/icon.svg", "icon.svg"),
            ]
        ]
        return [
            *files,
            Route("/phone/events", self.events),
            Route("/phone/answers", self.answers, methods=["POST"]),
        ]

    def stop(self) -> None:
        """End the streams, which would hold the service up while it stops. In the event loop's thread."""
        self._stopping.set()

    async def _file(self, request: Request) -> Response:
        _check_is_local(request)
        name = Path(request.url.path).name
        return FileResponse(_FILES / (_PAGE if name == "phone" else name), headers=_HEADERS)

    async def events(self, request: Request) -> Response:
        """Stream what telephones get and write, as server-sent events: the latest at first, then what is new."""
        _check_is_local(request)
        headers = {"cache-control": "no-store", "x-content-type-options": "nosniff"}
        return StreamingResponse(self._stream(), media_type="text/event-stream", headers=headers)

    async def _stream(self) -> AsyncIterator[bytes]:
        screen = Screen(self._records, self._clock)
        # At first whatever there is, and be it nothing: what comes later is news.
        yield b"retry: 1000\n" + _event(await asyncio.to_thread(screen.news))
        quiet = 0
        while not self._stopping.is_set():
            texts = await asyncio.to_thread(screen.news)
            quiet = 0 if texts else quiet + 1
            if texts:
                yield _event(texts)
            elif quiet % _ALIVE_AFTER == 0:
                yield b":\n\n"
            with suppress(TimeoutError):
                async with asyncio.timeout(POLL_SECONDS):
                    await self._stopping.wait()

    async def answers(self, request: Request) -> Response:
        """Take what a person wrote: the operator reports it as it would any inbound message."""
        _check_is_local(request)
        try:
            answer = await read_model(request, PhoneAnswer)
        except Refusal as refusal:
            return refused(refusal, Base.REST)
        await asyncio.to_thread(self._telephones.write, answer.number, answer.recipient, answer.channel, answer.text)
        return json_response({"success": True}, 202)


def _event(texts: Sequence[Text]) -> bytes:
    return b"event: texts\ndata: " + orjson.dumps(texts) + b"\n\n"


def _check_is_local(request: Request) -> None:
    """Raise HTTPException for a call from elsewhere, as far as it shows."""
    host = header(request, "host") or ""
    origin = header(request, "origin")
    is_forwarded = any(header(request, name) is not None for name in _OF_PROXIES)
    if is_forwarded or not is_loopback(_name_of(host)) or origin not in {None, f"http://{host}"}:
        raise HTTPException(404)


def _name_of(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
