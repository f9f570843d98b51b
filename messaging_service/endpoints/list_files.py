"""Where the lists are downloaded (details, "lists"): no key, the address is the right, as with a storage."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from messaging_service.accounts.downloads import Downloads, Part, Ticket

LIST_PATH = "/v1/lists/{token}"
_REFUSED = "The address is not one of this service, or has expired.\n"


def _path_item() -> dict[str, Any]:
    token = {"name": "token", "in": "path", "required": True, "schema": {"type": "string"}}
    return {
        "get": {
            "tags": ["blacklist"],
            "summary": "Download a list as CSV",
            "description": "The address that `GET /optout` or `GET /blacklist` gave: without a key, for 60 seconds.",
            "security": [],
            "parameters": [token],
            "responses": {
                "200": {"description": "The file.", "content": {"text/csv": {"schema": {"type": "string"}}}},
                "403": {"description": _REFUSED.strip()},
            },
        },
    }


PATH_ITEMS = {LIST_PATH: _path_item()}
"""The page as the OpenAPI document describes it."""


class ListFiles:
    """Sends lists as files, read from the store as fast as they are taken."""

    def __init__(self, downloads: Downloads) -> None:
        self._downloads = downloads

    def routes(self) -> list[Route]:
        """Return the routes of the pages."""
        return [Route(LIST_PATH, self.get, methods=["GET"])]

    async def get(self, request: Request) -> Response:
        """Send a list."""
        ticket = await asyncio.to_thread(self._downloads.ticket, request.path_params["token"])
        if ticket is None:
            return PlainTextResponse(_REFUSED, 403)
        first = await asyncio.to_thread(self._downloads.part, ticket, None)
        headers = {"content-disposition": f'attachment; filename="{ticket.name}.csv"', "cache-control": "no-store"}
        return StreamingResponse(self._parts(ticket, first), media_type="text/csv", headers=headers)

    async def _parts(self, ticket: Ticket, part: Part) -> AsyncIterator[str]:
        yield part.text
        while part.after is not None:
            part = await asyncio.to_thread(self._downloads.part, ticket, part.after)
            yield part.text
