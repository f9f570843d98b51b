"""Serves the calls of the interface: each path with its handler, and every error worded as its interface words it."""

from collections.abc import Awaitable, Callable, Mapping
from time import perf_counter
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from interface.calls import Base, Call
from messaging_service import measures
from messaging_service.endpoints.problems import failed, json_response, refused
from messaging_service.refusals import Refusal

Handler = Callable[[Request], Awaitable[Response]]
Handlers = Mapping[Call[Any], Handler]

ExceptionHandler = Callable[[Request, Exception], Awaitable[Response]]

PREFIXES: Mapping[Base, str] = {Base.MESSAGING: "/v2", Base.REST: "/v1", Base.VERIFY: "", Base.XML: "/xml"}
"""Where each base address is on the one port (details, "Where it listens")."""

_FAILURES = {
    "message_status": "Failed to read message",
    "messages": "Failed to read messages",
}


class Serving:
    """An ASGI application that answers calls by their exact path, and hands everything else on.

    Their paths have no parameters and they are most of the traffic: a look-up does what a router would search for.
    """

    def __init__(self, handlers: Handlers, otherwise: ASGIApp) -> None:
        self._calls = {
            (call.method, PREFIXES[call.base] + call.path): (call, handler) for call, handler in handlers.items()
        }
        self._methods: dict[str, list[str]] = {}
        for method, path in self._calls:
            self._methods.setdefault(path, []).append(method)
        self._otherwise = otherwise

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        found = self._calls.get((scope["method"], scope["path"])) if scope["type"] == "http" else None
        if found is None:
            await self._pass_on(scope, receive, send)
            return
        call, handler = found
        request = Request(scope, receive)
        started = perf_counter()
        try:
            response = await handler(request)
        except Refusal as refusal:
            response = refused(refusal, call.base)
        except Exception as error:  # noqa: BLE001 - whatever it is, the caller gets an answer
            response = failed(request, error, _FAILURES.get(call.name, "Unexpected error"))
        measures.answered(call.name, response.status_code, perf_counter() - started)
        await response(scope, receive, send)

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        methods = self._methods.get(scope["path"]) if scope["type"] == "http" else None
        if methods is None:
            await self._otherwise(scope, receive, send)
            return
        error = HTTPException(405, headers={"Allow": ", ".join(methods)})
        response = await _not_served(Request(scope, receive), error)
        await response(scope, receive, send)


def problem_handlers() -> Mapping[Any, ExceptionHandler]:
    """Return what answers a path or a method that isn't there."""
    return {HTTPException: _not_served}


async def _not_served(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    sentence = {404: f"There is no {request.url.path} here.", 405: f"{request.method} isn't answered here."}
    response = json_response({"message": sentence.get(error.status_code, error.detail)}, error.status_code)
    response.headers.update(error.headers or {})
    return response
