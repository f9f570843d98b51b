"""Turns refusals into responses: the one place that knows how each interface words its errors (specification 7)."""

from collections.abc import Mapping
from typing import Any

import orjson
import structlog
from starlette.responses import Response

from interface.calls import Base, Call, Content
from interface.xml import STATUSES, XmlCode
from messaging_service.refusals import (
    Coded,
    Compressed,
    InvalidRequest,
    MissingKey,
    Refusal,
    StillRunning,
    TooLarge,
    Unauthorized,
    UsedForAnotherCall,
    WrongContentType,
)
from messaging_service.xml_interface import answering

log = structlog.get_logger(__name__)


def json_response(content: Any, status: int = 200) -> Response:  # noqa: ANN401 - whatever orjson writes
    """Render JSON."""
    return raw_json_response(orjson.dumps(content), status)


def raw_json_response(content: bytes, status: int = 200) -> Response:
    """Return JSON that is written already."""
    return Response(content, status, media_type="application/json")


_CODES: Mapping[type[Refusal], str] = {
    MissingKey: "MISSING_API_KEY",
    Unauthorized: "INVALID_API_KEY",
    InvalidRequest: "INVALID_REQUEST",
    WrongContentType: "WRONG_CONTENT_TYPE",
    Compressed: "WRONG_CONTENT_TYPE",
    TooLarge: "TOO_LARGE",
    StillRunning: "STILL_RUNNING",
    UsedForAnotherCall: "IDEMPOTENCY_KEY_REUSED",
}
"""The verification API's codes of refusals that all interfaces have."""


def refused(refusal: Refusal, base: Base) -> Response:
    """Return what the caller of an interface reads of a refusal."""
    if base is Base.VERIFY:
        return _refused_verification(refusal)
    if base is Base.XML:
        return Response(*answering.error_of(refusal), media_type=Content.XML)
    if base is Base.MESSAGING and isinstance(refusal, Unauthorized):
        return json_response({"Message": str(refusal)}, 400)
    if base is Base.MESSAGING and isinstance(refusal, InvalidRequest):
        errors = [{"field": error.field, "message": error.message} for error in refusal.errors]
        return json_response({"message": str(refusal), "errors": errors}, refusal.status)
    response = json_response({"message": str(refusal)}, refusal.status)
    response.headers.update(refusal.headers)
    return response


def _refused_verification(refusal: Refusal) -> Response:
    if not isinstance(refusal, Coded):
        code = _CODES.get(type(refusal), "INVALID_REQUEST")
        return json_response({"error": code, "message": str(refusal)}, refusal.status)
    body = {"error": refusal.code, "message": str(refusal), **refusal.details}
    response = json_response(body, refusal.status)
    response.headers.update(refusal.headers)
    return response


def failed(call: Call[Any], error: Exception, sentence: str) -> Response:
    """Return a 500 that tells nothing of the cause; the log has it."""
    log.error("call.failed", call=call.name, exc_info=error)
    if call.base is Base.VERIFY:
        return json_response({"error": "INTERNAL_ERROR", "message": f"{sentence}; try again in a moment."}, 500)
    if call.base is Base.XML:
        document = answering.error(XmlCode.SYSTEM_ERROR, f"{sentence}.")
        return Response(document, STATUSES[XmlCode.SYSTEM_ERROR], media_type=Content.XML)
    return json_response({"message": sentence}, 500)
