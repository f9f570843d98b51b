"""The documentation of the API: ``/openapi.json``, and ``/docs``, which shows it without reaching for the Internet."""

from collections.abc import Iterable
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from interface.calls import Call
from messaging_service.endpoints import bulk_files, health, links, list_files, signup_pages
from messaging_service.endpoints.openapi import describe
from messaging_service.endpoints.problems import raw_json_response

DESCRIBED_PAGES = {
    **bulk_files.PATH_ITEMS,
    **list_files.PATH_ITEMS,
    **signup_pages.PATH_ITEMS,
    **links.PATH_ITEMS,
    **health.PATH_ITEMS,
}
"""What the document describes besides the calls."""

_PAGES = Path(__file__).with_name("pages")
_CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "connect-src 'self'; base-uri 'none'; frame-ancestors 'none'"
)


class DocumentationPages:
    """Shows what the calls take and answer. Needs no key: it tells what is in the public documentation anyway."""

    def __init__(self, calls: Iterable[Call[Any]]) -> None:
        self._calls = tuple(calls)

    def routes(self) -> list[BaseRoute]:
        """Return the routes of the pages."""
        return [
            Route("/openapi.json", self.document),
            Route("/", self.front_door),
            Route("/docs", self.page),
            Route("/docs/docs.js", self.script),
            Mount("/docs/assets", StaticFiles(directory=_assets())),
        ]

    def document(self, _request: Request) -> Response:
        """Return the OpenAPI document. Starlette runs this in a thread: to make it takes longer than many calls."""
        return raw_json_response(self._document)

    @cached_property
    def _document(self) -> bytes:
        # Made for the first who asks: few do, and a process that starts has better to do.
        return orjson.dumps(describe(self._calls, DESCRIBED_PAGES))

    async def front_door(self, _request: Request) -> Response:
        """Lead whoever opens the service's address to the page."""
        return RedirectResponse("/docs")

    async def page(self, _request: Request) -> Response:
        """Return the page for people."""
        return FileResponse(_PAGES / "docs.html", headers={"content-security-policy": _CONTENT_SECURITY_POLICY})

    async def script(self, _request: Request) -> Response:
        """Return what starts the page."""
        return FileResponse(_PAGES / "docs.js")


def _assets() -> Path:
    """Return the folder of Swagger UI as a package ships it, without importing the package and all that it needs."""
    package = find_spec("fastapi_offline")
    if package is None or package.origin is None:
        raise RuntimeError("the package fastapi-offline, which ships the documentation page, isn't installed")
    return Path(package.origin).with_name("static")
