"""Serves the calls of the interface: each path with its handler, and every error worded as its interface words it."""

from collections.abc import Awaitable, Callable, Mapping
from time import perf_counter
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import compile_path
from starlette.types import ASGIApp, Receive, Scope, Send

from interface.calls import Base, Call
from messaging_service.endpoints.problems import failed, json_response, refused
from messaging_service.refusals import Refusal
from messaging_service.running import measures

Handler = Callable[[Request], Awaitable[Response]]
Handlers = Mapping[Call[Any], Handler]
Served = tuple[Call[Any], Handler]
Methods = dict[str, Served]
"""What one path serves, by method."""

ExceptionHandler = Callable[[Request, Exception], Awaitable[Response]]

PREFIXES: Mapping[Base, str] = {Base.MESSAGING: "/v2", Base.REST: "/v1", Base.VERIFY: "", Base.XML: "/xml"}
"""Where each base address is on the one port (details, "Where it listens")."""

_FAILURES = {
    "message_status": "Failed to read message",
    "messages": "Failed to read messages",
    "billing_topup": "Failed to get topup info",
}


class Serving:
    """An ASGI application that answers calls by their path, and hands everything else on.

    Most paths have no parameters, and theirs is most of the traffic: a look-up does what a router would search for.
    """

    def __init__(self, handlers: Handlers, otherwise: ASGIApp) -> None:
        paths: dict[str, Methods] = {}
        for call, handler in handlers.items():
            for path in (call.path, *call.aliases):
                paths.setdefault(PREFIXES[call.base] + path, {})[call.method] = (call, handler)
        self._exact = {path: methods for path, methods in paths.items() if "{" not in path}
        self._patterns = [(compile_path(path)[0], methods) for path, methods in paths.items() if "{" in path]
        self._otherwise = otherwise

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        methods = self._methods(scope) if scope["type"] == "http" else None
        if methods is None:
            await self._otherwise(scope, receive, send)
        elif scope["method"] in methods:
            await self._answer(methods[scope["method"]], scope, receive, send)
        else:
            error = HTTPException(405, headers={"Allow": ", ".join(methods)})
            response = await _not_served(Request(scope, receive), error)
            await response(scope, receive, send)

    def _methods(self, scope: Scope) -> Methods | None:
        """Return what is served at the path of a request; parameters in the path become ``path_params``."""
        methods = self._exact.get(scope["path"])
        if methods is not None:
            return methods
        for pattern, served in self._patterns:
            if matched := pattern.match(scope["path"]):
                scope["path_params"] = matched.groupdict()
                return served
        return None

    async def _answer(self, served: Served, scope: Scope, receive: Receive, send: Send) -> None:
        call, handler = served
        request = Request(scope, receive)
        started = perf_counter()
        try:
            response = await handler(request)
        except Refusal as refusal:
            response = refused(refusal, call.base)
        except Exception as error:  # noqa: BLE001 - whatever it is, the caller gets an answer
            response = failed(call, error, _FAILURES.get(call.name, "Unexpected error"))
        measures.answered(call.name, response.status_code, perf_counter() - started)
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
