"""A fake of Klaviyo's REST API, as far as the connector speaks it: keys, revisions, pages, limits, errors."""

import re
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

_REVISION: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_SEGMENTS_A_PAGE: Final = 10
_MOST_PROFILES_A_PAGE: Final = 100

Json = dict[str, Any]
Endpoint = Callable[[Request], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Profile:
    """Somebody in a segment; ``consent`` to SMS is ``SUBSCRIBED``, ``UNSUBSCRIBED`` or ``NEVER_SUBSCRIBED``."""

    phone_number: str | None
    consent: str = "SUBSCRIBED"


@dataclass(frozen=True, slots=True)
class Segment:
    """A named group of profiles."""

    name: str
    profiles: Sequence[Profile] = ()


@dataclass
class FakeKlaviyo:
    """The platform with one account, whose private key is ``key``, and its segments by id.

    ``received`` are the requests so far, as path with query; ``will_answer`` are responses given before anything else,
    one a request, where a None lets a request through.
    """

    key: str
    segments: Mapping[str, Segment]
    organization: str = "Dovecote Shop"
    received: list[str] = field(default_factory=list)
    will_answer: deque[Response | None] = field(default_factory=deque)

    def application(self) -> Starlette:
        """Return the platform as an ASGI application."""
        return Starlette(
            routes=[
                Route("/api/accounts", self._guarded(self._accounts)),
                Route("/api/segments", self._guarded(self._list)),
                Route("/api/segments/{id}", self._guarded(self._one)),
                Route("/api/segments/{id}/profiles", self._guarded(self._profiles)),
            ],
        )

    def _guarded(self, endpoint: Endpoint) -> Endpoint:
        async def guarded(request: Request) -> Response:
            self.received.append(str(request.url).removeprefix(str(request.base_url).rstrip("/")))
            scripted = self.will_answer.popleft() if self.will_answer else None
            if scripted is not None:
                return scripted
            if request.headers.get("authorization") != f"Klaviyo-API-Key {self.key}":
                return problem(401, "authentication_failed", "Incorrect authentication credentials.")
            if not _REVISION.match(request.headers.get("revision", "")):
                return problem(400, "invalid", "A revision header is required.")
            return await endpoint(request)

        return guarded

    async def _accounts(self, _request: Request) -> Response:
        contact = {"organization_name": self.organization, "default_sender_name": "Shop"}
        attributes = {"contact_information": contact, "preferred_currency": "EUR", "timezone": "Europe/Prague"}
        return JSONResponse({"data": [{"type": "account", "id": "AbC123", "attributes": attributes}]})

    async def _list(self, request: Request) -> Response:
        rows = [
            {"type": "segment", "id": each, "attributes": {"name": segment.name}}
            for each, segment in self.segments.items()
        ]
        return _page(request, rows, _SEGMENTS_A_PAGE)

    async def _one(self, request: Request) -> Response:
        segment = self.segments.get(request.path_params["id"])
        if segment is None:
            return problem(404, "not_found", "A segment with this id doesn't exist.")
        attributes: Json = {"name": segment.name}
        if request.query_params.get("additional-fields[segment]") == "profile_count":
            attributes["profile_count"] = len(segment.profiles)
        return JSONResponse({"data": {"type": "segment", "id": request.path_params["id"], "attributes": attributes}})

    async def _profiles(self, request: Request) -> Response:
        segment = self.segments.get(request.path_params["id"])
        if segment is None:
            return problem(404, "not_found", "A segment with this id doesn't exist.")
        size = int(request.query_params.get("page[size]", "20"))
        if not 1 <= size <= _MOST_PROFILES_A_PAGE:
            return problem(400, "invalid", "page[size] must be from 1 to 100.")
        shows_consent = request.query_params.get("additional-fields[profile]") == "subscriptions"
        rows = [_row(number, profile, shows_consent) for number, profile in enumerate(segment.profiles)]
        return _page(request, rows, size)


def problem(status: int, code: str, detail: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return an error as the platform writes it."""
    error = {"id": "e", "status": status, "code": code, "title": detail, "detail": detail}
    return JSONResponse({"errors": [error]}, status, headers)


def _row(number: int, profile: Profile, shows_consent: bool) -> Json:  # noqa: FBT001 - asked for in the request
    attributes: Json = {"phone_number": profile.phone_number}
    if shows_consent:
        attributes["subscriptions"] = {"sms": {"marketing": {"consent": profile.consent}}}
    return {"type": "profile", "id": f"P{number}", "attributes": attributes}


def _page(request: Request, rows: Sequence[Json], size: int) -> Response:
    start = int(request.query_params.get("page[cursor]", "0"))
    end = start + size
    following = str(request.url.include_query_params(**{"page[cursor]": end})) if end < len(rows) else None
    return JSONResponse({"data": rows[start:end], "links": {"self": str(request.url), "next": following}})
