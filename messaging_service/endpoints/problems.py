"""Turns refusals into responses: the one place that knows how each interface words its errors (specification 7)."""

from typing import Any

import orjson
import structlog
from starlette.requests import Request
from starlette.responses import Response

from interface.calls import Base
from messaging_service.refusals import InvalidRequest, Refusal, Unauthorized

log = structlog.get_logger(__name__)


def json_response(content: Any, status: int = 200) -> Response:  # noqa: ANN401 - whatever orjson writes
    """Render JSON."""
    return raw_json_response(orjson.dumps(content), status)


def raw_json_response(content: bytes, status: int = 200) -> Response:
    """Return JSON that is written already."""
    return Response(content, status, media_type="application/json")


def refused(refusal: Refusal, base: Base) -> Response:
    """Return what the caller of an interface reads of a refusal."""
    if base is Base.MESSAGING and isinstance(refusal, Unauthorized):
        return json_response({"Message": str(refusal)}, 400)
    if base is Base.MESSAGING and isinstance(refusal, InvalidRequest):
        errors = [{"field": error.field, "message": error.message} for error in refusal.errors]
        return json_response({"message": str(refusal), "errors": errors}, refusal.status)
    return json_response({"message": str(refusal)}, refusal.status)


def failed(request: Request, error: Exception, sentence: str) -> Response:
    """Return a 500 that tells nothing of the cause; the log has it."""
    log.error("call.failed", path=request.url.path, method=request.method, exc_info=error)
    return json_response({"message": sentence}, 500)
