"""Where a customer confirms a signup: a page without scripts, in the browser's language (details, "partner").

Opening the page does nothing, so that whoever looks ahead (mail scanners, previews) signs nobody up; its button does.
"""

import asyncio
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from html import escape
from typing import Any, Final, NamedTuple

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from messaging_service.partners.signups import Signup, Signups
from messaging_service.refusals import Refusal

SIGNUP_PATH = "/v1/partner/signup/{token}"


class _Words(NamedTuple):
    title: str
    question: str
    confirm: str
    done: str
    back: str
    ended: str
    refused: str


_WORDS: Final[Mapping[str, _Words]] = {
    "en": _Words(
        "Open an account",
        "{partner} wants to open an account for {name}.",
        "Open the account",
        "The account is open.",
        "Continue",
        "This address is not valid, or not any more. Please start again where you came from.",
        "The account can't be opened now. Please ask {partner}.",
    ),
    "cs": _Words(
        "Založení účtu",
        "{partner} chce založit účet pro: {name}",
        "Založit účet",
        "Účet je založen.",
        "Pokračovat",
        "Tato adresa neplatí, nebo už vypršela. Začněte prosím znovu tam, odkud jste přišli.",
        "Účet teď nelze založit. Obraťte se prosím na: {partner}",
    ),
    "sk": _Words(
        "Založenie účtu",
        "{partner} chce založiť účet pre: {name}",
        "Založiť účet",
        "Účet je založený.",
        "Pokračovať",
        "Táto adresa neplatí, alebo už vypršala. Začnite prosím znova tam, odkiaľ ste prišli.",
        "Účet teraz nemožno založiť. Obráťte sa prosím na: {partner}",
    ),
    "de": _Words(
        "Konto eröffnen",
        "{partner} möchte ein Konto für {name} eröffnen.",
        "Konto eröffnen",
        "Das Konto ist eröffnet.",
        "Weiter",
        "Diese Adresse gilt nicht oder nicht mehr. Bitte beginnen Sie dort neu, woher Sie kamen.",
        "Das Konto kann jetzt nicht eröffnet werden. Bitte wenden Sie sich an {partner}.",
    ),
}
_STYLE = (
    ":root{color-scheme:light dark}"
    "body{margin:0;min-height:100vh;display:grid;place-items:center;font:1.125rem/1.5 system-ui,sans-serif}"
    "main{margin:2rem;max-width:32rem;text-align:center;overflow-wrap:anywhere}"
    "h1{font-size:1.5rem}"
    "button{font:inherit;padding:.75rem 1.5rem;border:0;border-radius:.5rem;background:#1a5fb4;color:#fff}"
)
_PAGE = """<!doctype html>
<html lang="{language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex"><title>{title}</title><style>{style}</style></head>
<body><main><h1>{title}</h1><p>{sentence}</p>{action}</main></body>
</html>
"""
_STYLE_DIGEST = b64encode(sha256(_STYLE.encode()).digest()).decode()
_HEADERS = {
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-robots-tag": "noindex",
    "x-content-type-options": "nosniff",
    "content-security-policy": f"default-src 'none'; style-src 'sha256-{_STYLE_DIGEST}'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'",
}


def _operation(summary: str, description: str) -> dict[str, Any]:
    page = {"content": {"text/html": {"schema": {"type": "string"}}}}
    return {
        "tags": ["partner"],
        "summary": summary,
        "description": description,
        "security": [],
        "parameters": [{"name": "token", "in": "path", "required": True, "schema": {"type": "string"}}],
        "responses": {
            "200": {"description": "A page.", **page},
            "403": {"description": "The address is not valid, or the partner may have no more sub-keys.", **page},
        },
    }


PATH_ITEMS = {
    SIGNUP_PATH: {
        "get": _operation("Ask a customer to confirm", "The address that `/partner/signup` gave, for an hour."),
        "post": _operation("Confirm a signup", "The customer has a sub-key of the partner from then on."),
    },
}
"""The page as the OpenAPI document describes it."""


class SignupPages:
    """Asks customers, and opens their accounts."""

    def __init__(self, signups: Signups) -> None:
        self._signups = signups

    def routes(self) -> list[Route]:
        """Return the routes of the pages."""
        return [
            Route(SIGNUP_PATH, self.ask, methods=["GET"]),
            Route(SIGNUP_PATH, self.confirm, methods=["POST"]),
        ]

    async def ask(self, request: Request) -> Response:
        """Show who wants to open an account for whom."""
        signup = await self._find(request)
        if signup is None:
            return _ended(request)
        language, words = _words_for(request)
        action = f'<form method="post"><button>{words.confirm}</button></form>'
        return _page(language, words.title, _told(words.question, signup), action)

    async def confirm(self, request: Request) -> Response:
        """Open the account; the second time it is open."""
        signup = await self._find(request)
        if signup is None:
            return _ended(request)
        language, words = _words_for(request)
        try:
            await asyncio.to_thread(self._signups.confirm, signup)
        except Refusal:
            return _page(language, words.title, _told(words.refused, signup), "", 403)
        back = signup.wanted.return_url
        action = f'<p><a href="{escape(back)}" rel="noreferrer">{words.back}</a></p>' if back else ""
        return _page(language, words.title, words.done, action)

    async def _find(self, request: Request) -> Signup | None:
        return await asyncio.to_thread(self._signups.find, request.path_params["token"])


def _ended(request: Request) -> Response:
    language, words = _words_for(request)
    return _page(language, words.title, words.ended, "", 403)


def _told(sentence: str, signup: Signup) -> str:
    name = signup.wanted.name or signup.wanted.app_userid or ""
    return sentence.format(partner=escape(signup.partner.account), name=escape(name))


def _page(language: str, title: str, sentence: str, action: str, status: int = 200) -> Response:
    page = _PAGE.format(language=language, title=title, sentence=sentence, action=action, style=_STYLE)
    return HTMLResponse(page, status, headers=_HEADERS)


def _words_for(request: Request) -> tuple[str, _Words]:
    """Return the first language that the browser asks for and that there is, else English, with its words."""
    asked = [given.strip()[:2].lower() for given in request.headers.get("accept-language", "").split(",")]
    language = next((language for language in asked if language in _WORDS), "en")
    return language, _WORDS[language]
