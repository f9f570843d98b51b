"""Where files are PUT (specification 4.2): no key, the address is the right; errors are bare, as those of a storage."""

import asyncio
import errno
from collections.abc import AsyncIterator, Callable
from typing import Any, BinaryIO

import structlog
from sqlalchemy import RowMapping
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from interface.bulk import CONTENT_TYPES, Filetype
from messaging_service.bulk.addresses import Ticket
from messaging_service.bulk.opening import Reception
from messaging_service.bulk.receiving import Incoming, OverLimit
from messaging_service.bulk.unpacking import BrokenFile
from messaging_service.bulk.uploads import Received
from messaging_service.endpoints.bodies import NOT_COMPRESSED
from messaging_service.endpoints.headers import header

UPLOAD_PATH = "/v1/messaging/upload/{token}"
_PIECE = 512 * 1024
_STALLED_AFTER_SECONDS = 30.0
"""How long a sender may pause before it is taken for gone."""
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_BARE = {
    "200": "The file is on disk.",
    "400": "The gzip file is broken or not whole.",
    "403": "The address is not one of this service, or has expired.",
    "408": "The file stopped arriving.",
    "409": "A file came to this address already, or its upload was cancelled.",
    "413": "The file is over the limit.",
    "415": "The Content-Type is not that of the upload's filetype, or what is jsonl is compressed.",
    "507": "There is no room for the file.",
}

log = structlog.get_logger(__name__)


def _path_item() -> dict[str, Any]:
    content: dict[str, Any] = {content_type: {"schema": {}} for content_type in CONTENT_TYPES.values()}
    token = {"name": "token", "in": "path", "required": True, "schema": {"type": "string"}}
    return {
        "put": {
            "tags": ["messaging"],
            "summary": "PUT the file of a bulk upload",
            "description": "The address that `/messaging/url` gave: without a key, once, within 60 seconds.",
            "security": [],
            "parameters": [token],
            "requestBody": {"required": True, "content": content},
            "responses": {status: {"description": description} for status, description in _BARE.items()},
        },
    }


PATH_ITEMS = {UPLOAD_PATH: _path_item()}
"""The page as the OpenAPI document describes it."""


class _Refused(Exception):  # noqa: N818
    def __init__(self, status: int, sentence: str | None = None) -> None:
        super().__init__(sentence)
        self.response = PlainTextResponse(f"{sentence or _BARE[str(status)]}\n", status)


class BulkFiles:
    """Takes files. ``on_received`` is called when one is on disk, to wake the worker that reads it."""

    def __init__(self, reception: Reception, on_received: Callable[[], None]) -> None:
        self._uploads = reception.uploads
        self._folder = reception.folder
        self._limits = reception.limits
        self._on_received = on_received

    def routes(self) -> list[Route]:
        """Return the routes of the pages."""
        return [Route(UPLOAD_PATH, self.put, methods=["PUT"])]

    async def put(self, request: Request) -> Response:
        """Take the file of an upload: 200 once it is on disk, else nothing of it stays."""
        try:
            await self._put(request)
        except _Refused as refused:
            return refused.response
        except ClientDisconnect:
            return Response(status_code=400)  # nobody reads it
        except OSError as error:
            log.exception("bulk.not-written")
            return _Refused(507).response if error.errno in _NO_ROOM else PlainTextResponse("Unexpected error.\n", 500)
        self._on_received()
        return Response()

    async def _put(self, request: Request) -> None:
        ticket = self._uploads.ticket(request.path_params["token"])
        if ticket is None:
            raise _Refused(403)
        upload = await asyncio.to_thread(self._uploads.waiting, ticket)
        if upload is None:
            raise _Refused(409)
        self._check_head(request, Filetype(upload["filetype"]))
        name = self._folder.new_name(ticket.upload)
        with self._folder.receiving(name) as file:
            size = await self._write(request, file, Filetype(upload["filetype"]))
            await asyncio.to_thread(self._keep, ticket, upload, Received(name, size), file)

    def _check_head(self, request: Request, filetype: Filetype) -> None:
        given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if given != CONTENT_TYPES[filetype]:
            raise _Refused(415, f"Content-Type must be {CONTENT_TYPES[filetype]}.")
        if filetype is Filetype.JSONL and header(request, "content-encoding") not in NOT_COMPRESSED:
            raise _Refused(415, "A compressed file needs the filetype gz.")
        if int(request.headers.get("content-length", "0")) > self._limits.sent:
            raise _Refused(413)

    async def _write(self, request: Request, file: BinaryIO, filetype: Filetype) -> int:
        incoming = Incoming(file, filetype, self._limits)
        try:
            async for piece in _pieces(request):
                await asyncio.to_thread(incoming.write, piece)
            incoming.finish()
        except OverLimit as problem:
            raise _Refused(413, str(problem)) from None
        except BrokenFile:
            raise _Refused(400) from None
        except TimeoutError:
            raise _Refused(408) from None
        return incoming.size

    def _keep(self, ticket: Ticket, upload: RowMapping, received: Received, file: BinaryIO) -> None:
        self._folder.keep(received.name, file)
        if not self._uploads.receive(ticket, upload, received):
            self._folder.remove(received.name)
            raise _Refused(409)


async def _pieces(request: Request) -> AsyncIterator[bytes]:
    """Yield the body in pieces worth a thread's while. Raises TimeoutError when it stalls, ClientDisconnect."""
    stream = request.stream()
    gathered = bytearray()
    while True:
        async with asyncio.timeout(_STALLED_AFTER_SECONDS):
            part = await anext(stream, None)
        if part is None:
            break
        gathered += part
        if len(gathered) >= _PIECE:
            yield bytes(gathered)
            gathered.clear()
    if gathered:
        yield bytes(gathered)
