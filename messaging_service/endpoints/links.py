"""Short links: ``/l/<code>`` leads to where the link in a text led, and nowhere else (details, ``params._url``)."""

from base64 import b64encode
from hashlib import sha256
from typing import Any, NamedTuple

import structlog
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from messaging_service.links.clicks import Clicks
from messaging_service.links.previews import is_preview
from messaging_service.links.shortening import PATH
from messaging_service.store.links import ShortLink

LINK_PATH = f"{PATH}{{code}}"


class _Words(NamedTuple):
    language: str
    unknown: str
    ended: str


_WORDS = (
    _Words("en", "This link doesn't exist.", "This link has ended."),
    _Words("cs", "Tento odkaz neexistuje.", "Platnost tohoto odkazu skončila."),
    _Words("sk", "Tento odkaz neexistuje.", "Platnosť tohto odkazu sa skončila."),
    _Words("de", "Diesen Link gibt es nicht.", "Dieser Link ist abgelaufen."),
)
_STYLE = (
    ":root{color-scheme:light dark}"
    "body{margin:0;min-height:100vh;display:grid;place-items:center;font:1.25rem/1.5 system-ui,sans-serif}"
    "p{margin:2rem;text-align:center}"
)
_PAGE = """<!doctype html>
<html lang="{language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex"><title>{sentence}</title><style>{style}</style></head>
<body><p>{sentence}</p></body>
</html>
"""
_HEADERS = {"cache-control": "no-store", "referrer-policy": "no-referrer", "x-robots-tag": "noindex"}
_STYLE_DIGEST = b64encode(sha256(_STYLE.encode()).digest()).decode()
_PAGE_HEADERS = _HEADERS | {
    "content-security-policy": f"default-src 'none'; style-src 'sha256-{_STYLE_DIGEST}'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
}

log = structlog.get_logger(__name__)


def _path_item() -> dict[str, Any]:
    page = {"content": {"text/html": {"schema": {"type": "string"}}}}
    location = {"description": "Where the link leads.", "required": True, "schema": {"type": "string"}}
    return {
        "get": {
            "tags": ["operation"],
            "summary": "Follow a short link",
            "description": "What `params._url` put into a text. A person who follows it sets `ts_clicked`; a machine "
            "that only looks where it leads doesn't.",
            "security": [],
            "parameters": [{"name": "code", "in": "path", "required": True, "schema": {"type": "string"}}],
            "responses": {
                "302": {"description": "To where the link in the text led.", "headers": {"Location": location}},
                "404": {"description": "There is no such link.", **page},
                "410": {"description": "The link has ended.", **page},
            },
        },
    }


PATH_ITEMS = {LINK_PATH: _path_item()}
"""The page as the OpenAPI document describes it."""


class LinkPages:
    """Leads people on, and has it recorded."""

    def __init__(self, clicks: Clicks) -> None:
        self._clicks = clicks

    def routes(self) -> list[Route]:
        """Return the routes of the pages."""
        return [Route(LINK_PATH, self.follow)]

    async def follow(self, request: Request) -> Response:
        """Redirect to the link's target; a page says so when there is none, or none any more."""
        link = await self._clicks.find(request.path_params["code"])
        words = _words_for(request)
        if link is None:
            return _page(words, words.unknown, 404)
        if self._clicks.has_ended(link):
            return _page(words, words.ended, 410)
        await self._record(request, link)
        return Response(status_code=302, headers=_HEADERS | {"location": link.target})

    async def _record(self, request: Request, link: ShortLink) -> None:
        try:
            await self._clicks.record(link, is_preview=is_preview(request.method, request.headers))
        except Exception:  # the person wants to get there, whatever becomes of our records
            log.exception("click.lost", message_id=link.message_id)


def _page(words: _Words, sentence: str, status: int) -> Response:
    page = _PAGE.format(language=words.language, sentence=sentence, style=_STYLE)
    return HTMLResponse(page, status, headers=_PAGE_HEADERS)


def _words_for(request: Request) -> _Words:
    """Return the words in the first language that the browser asks for and that there is, else in English."""
    asked = [given.strip()[:2].lower() for given in request.headers.get("accept-language", "").split(",")]
    known = {words.language: words for words in _WORDS}
    return next((known[language] for language in asked if language in known), _WORDS[0])
