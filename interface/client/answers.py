"""Read what the service answered: a model, or one of the client's errors. Pure."""

import json
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import BaseModel, ValidationError

from interface.errors import (
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    Refused,
    ServerFailed,
    TooManyRequests,
    Unauthorized,
    UnexpectedAnswer,
)
from interface.field_errors import FieldError
from interface.xml import STATUSES
from interface.xml_documents import read_result
from interface.xml_tree import NotReadable

if TYPE_CHECKING:
    from interface.calls import Call

_XML = "application/xml"
_XML_OK = "OK"


class RawAnswer(NamedTuple):
    """An HTTP response; ``retry_after`` is its header as it stands."""

    status: int
    content: bytes
    retry_after: str | None = None


def read_answer(call: "Call[BaseModel]", raw: RawAnswer) -> BaseModel:
    """Return the model in a successful answer."""
    if call.answers == _XML:
        return _read_document(call, raw)
    try:
        return call.answer.model_validate_json(raw.content)
    except ValidationError as error:
        fields = ", ".join(dict.fromkeys(".".join(map(str, each["loc"])) or "body" for each in error.errors()))
        message = f"The answer to {call.name} is not one of this interface ({fields})."
        raise UnexpectedAnswer(message, raw.status) from None


def _read_document(call: "Call[BaseModel]", raw: RawAnswer) -> BaseModel:
    """Return the result in an XML answer; one that is an error whatever its HTTP status is raised."""
    try:
        result, _ = read_result(raw.content.decode())
    except (NotReadable, ValueError):
        raise UnexpectedAnswer(f"The answer to {call.name} is not one of this interface.", raw.status) from None
    if result.Response.Type != _XML_OK:
        raise error_of(call, raw._replace(status=_status_of(result.Response.ID)), 0.0)
    return result


def _status_of(code: int) -> int:
    return next((status for known, status in STATUSES.items() if known == code and known), 400)


def error_of(call: "Call[BaseModel]", raw: RawAnswer, now: float) -> Refused | UnexpectedAnswer:
    """Return the error that an unsuccessful answer stands for; ``now`` is Unix time, for dates in ``Retry-After``."""
    body = _document(raw.content) if call.answers == _XML else _body(raw.content)
    error = _error_of(call, raw, body)
    error.retry_after = seconds_of(raw.retry_after, now)
    code, remaining = body.get("error"), body.get("attemptsRemaining")
    if isinstance(error, Refused) and isinstance(code, str):
        error.code = code
        error.attempts_remaining = remaining if isinstance(remaining, int) else None
    return error


def _error_of(call: "Call[BaseModel]", raw: RawAnswer, body: dict[str, Any]) -> Refused | UnexpectedAnswer:
    message = _message(body) or f"The service answered {call.name} with status {raw.status}."
    if raw.status == 401 or (raw.status in {400, 403} and "Message" in body):  # noqa: PLR2004 - statuses of the interface
        return Unauthorized(message, raw.status)
    if raw.status == 429:  # noqa: PLR2004
        return TooManyRequests(message, raw.status)
    if raw.status in {400, 413, 414, 415, 422, 431}:
        return Invalid(message, raw.status, _field_errors(body))
    if raw.status >= 500:  # noqa: PLR2004
        return ServerFailed(message, raw.status)
    refusals: dict[int, type[Refused]] = {402: Refused, 403: Forbidden, 404: NotFound, 409: Conflict}
    if raw.status in refusals:
        return refusals[raw.status](message, raw.status)
    return UnexpectedAnswer(message, raw.status)


def seconds_of(retry_after: str | None, now: float) -> float | None:
    """Return the seconds that a ``Retry-After`` header names, itself or as a date; None when it can't be read."""
    if retry_after is None:
        return None
    if retry_after.isascii() and retry_after.isdigit():
        return float(retry_after[:9])
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - now)
    except (ValueError, OverflowError):
        return None


def _body(content: bytes) -> dict[str, Any]:
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return body if isinstance(body, dict) else {}


def _document(content: bytes) -> dict[str, Any]:
    """Return an error of the XML interface as one of the others would be written."""
    try:
        result, sentence = read_result(content.decode())
    except (NotReadable, ValueError):
        return {}
    return {"error": str(result.Response.ID), "message": sentence}


def _message(body: dict[str, Any]) -> str:
    message = body.get("message", body.get("Message"))
    return message if isinstance(message, str) else ""


def _field_errors(body: dict[str, Any]) -> list[FieldError]:
    errors = body.get("errors")
    items = [each for each in errors if isinstance(each, dict)] if isinstance(errors, list) else []
    return [FieldError(str(each.get("field", "")), str(each.get("message", ""))) for each in items]
