"""Serves the calls of the interface: each path with its handler, and every error worded as its interface words it."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from interface.calls import Base, Call
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


def routes(handlers: Handlers) -> list[Route]:
    """Return a route for each call."""
    return [
        Route(PREFIXES[call.base] + call.path, _serve(call, handler), methods=[call.method], name=call.name)
        for call, handler in handlers.items()
    ]


def _serve(call: Call[Any], handler: Handler) -> Handler:
    async def serve(request: Request) -> Response:
        try:
            return await handler(request)
        except Refusal as refusal:
            return refused(refusal, call.base)
        except Exception as error:  # noqa: BLE001 - whatever it is, the caller gets an answer
            return failed(request, error, _FAILURES.get(call.name, "Unexpected error"))

    return serve


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
