"""Reads the body of a sending call. What is wrong with a part of it is rejected by itself, the rest goes on."""

import json
from dataclasses import dataclass, field
from typing import Any

from pydantic import ValidationError
from pydantic_core import from_json

from interface.field_errors import FieldError, field_errors
from interface.message import MAX_MESSAGES, MESSAGES, MessageRequest
from messaging_service.refusals import InvalidRequest


@dataclass(frozen=True, slots=True)
class Rejection:
    """An item that failed phase 1; ``key`` is its index in the call, ``field`` the first that is wrong."""

    key: int
    message: str
    field: str


@dataclass(frozen=True, slots=True)
class Reading:
    """The items of a call that can be accepted, with their indices, and those that can't."""

    requests: list[tuple[int, MessageRequest]]
    rejections: list[Rejection] = field(default_factory=list)


def read_message(body: bytes) -> tuple[MessageRequest | None, list[int], list[Rejection]]:
    """Read the body of ``/message``: the message, the indices of its usable recipients, and the rejected recipients.

    Raises InvalidRequest when something other than single recipients is wrong.
    """
    try:
        request = MessageRequest.model_validate_json(body)
    except ValidationError as error:
        return _without_bad_recipients(body, error)
    return request, list(range(len(request.to))), []


def read_messages(body: bytes) -> Reading:
    """Read the body of ``/messages``. Raises InvalidRequest when it isn't an array of 1 to 10."""
    try:
        return Reading(list(enumerate(MESSAGES.validate_json(body))))
    except ValidationError as error:
        items = _items(body, error)
    reading = Reading([])
    for index, item in enumerate(items):
        try:
            reading.requests.append((index, read_part(item)))
        except ValidationError as error:
            reading.rejections.append(_rejection(index, field_errors(error, "The message")))
    return reading


def _items(body: bytes, error: ValidationError) -> list[Any]:
    items = _load(body, error)
    if not isinstance(items, list) or not 1 <= len(items) <= MAX_MESSAGES:
        message = f"The body must be an array of 1 to {MAX_MESSAGES} message objects."
        raise InvalidRequest([FieldError("", message)])
    return items


def _load(body: bytes, error: ValidationError) -> Any:  # noqa: ANN401 - whatever JSON the caller sent
    if error.errors(include_url=False)[0]["type"] == "json_invalid":  # to one parser, such as for its depth
        raise InvalidRequest(field_errors(error)) from None
    try:
        return from_json(body)
    except ValueError:
        raise InvalidRequest(field_errors(error)) from None


def read_part(document: object) -> MessageRequest:
    """Read a part of a body that ``from_json`` took apart: every number as it was written. Raises ValidationError."""
    return MessageRequest.model_validate_json(json.dumps(document))


def _without_bad_recipients(
    body: bytes,
    error: ValidationError,
) -> tuple[MessageRequest | None, list[int], list[Rejection]]:
    bad: dict[int, list[FieldError]] = {}
    for detail, problem in zip(error.errors(include_url=False), field_errors(error), strict=False):
        match detail["loc"]:
            case ("to", int() as index, *_):
                bad.setdefault(index, []).append(problem)
            case _:
                raise InvalidRequest(field_errors(error)) from None
    document = _load(body, error)
    usable = [index for index in range(len(document["to"])) if index not in bad]
    rejections = [_rejection(index, problems) for index, problems in bad.items()]
    if not usable:
        # The rest of the message is still to be judged: with a recipient that is known to be well-formed.
        _check({**document, "to": [{"phone_number": "0"}]})
        return None, [], rejections
    return _check({**document, "to": [document["to"][index] for index in usable]}), usable, rejections


def _check(document: dict[str, Any]) -> MessageRequest:
    try:
        return read_part(document)
    except ValidationError as error:
        raise InvalidRequest(field_errors(error)) from None


def _rejection(index: int, errors: list[FieldError]) -> Rejection:
    return Rejection(index, " ".join(error.message for error in errors), errors[0].field)
