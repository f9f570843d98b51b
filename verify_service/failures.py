"""Turns whatever a call raises into a problem, and tells operations what is our fault."""

import traceback
from collections.abc import Callable
from typing import Any

import structlog
from flask import Flask, Response, request
from sqlalchemy import exc
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from verify_service import texts
from verify_service.problems import Problem, render

_OF_STATUS = {404: "no-such-address", 405: "method-not-allowed", 413: "too-large", 415: "json-only"}
_OUR_FAULT = 500
BUSY_SECONDS = 5
"""How long a client is asked to wait for a store that is busy or away."""

log = structlog.get_logger(__name__)


def install(app: Flask) -> None:
    """Answer everything that is raised as RFC 9457 has it, in the reader's language."""
    for error, handler in _HANDLERS.items():
        app.register_error_handler(error, handler)


def _problem(raised: Problem) -> Response:
    response = render(raised, texts.choose(request.accept_languages))
    response.vary.add("Accept-Language")
    return response


def _http_exception(raised: HTTPException) -> Response:
    status = raised.code or _OUR_FAULT
    return _problem(Problem(_OF_STATUS.get(status, "invalid-request" if status < _OUR_FAULT else "internal-error")))


def _method_not_allowed(raised: MethodNotAllowed) -> Response:
    response = _http_exception(raised)
    response.allow.update(raised.valid_methods or ())
    return response


def _store_unavailable(raised: exc.SQLAlchemyError) -> Response:
    log.error("store.unavailable", call=request.endpoint, why=type(raised).__name__)
    return _problem(Problem("busy", retry_after=BUSY_SECONDS))


def _exception(raised: Exception) -> Response:
    # The places, not the sentence: that may hold what the person typed.
    places = [f"{frame.filename}:{frame.lineno}" for frame in traceback.extract_tb(raised.__traceback__)[-8:]]
    log.error("call.failed", call=request.endpoint, error=type(raised).__name__, places=places)
    return _problem(Problem("internal-error"))


_HANDLERS: dict[type[Exception], Callable[[Any], Response]] = {
    Problem: _problem,
    HTTPException: _http_exception,
    MethodNotAllowed: _method_not_allowed,
    exc.OperationalError: _store_unavailable,
    exc.InterfaceError: _store_unavailable,
    exc.TimeoutError: _store_unavailable,
    Exception: _exception,
}
"""Flask takes the handler of the nearest class, whatever their order."""
