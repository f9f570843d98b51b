"""Reads bodies and parameters of calls, within the limits."""

from typing import TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError
from starlette.requests import ClientDisconnect, Request

from interface.calls import IDEMPOTENCY_HEADER, Content
from interface.field_errors import FieldError, field_errors
from messaging_service.accounts.keys import Key
from messaging_service.endpoints.headers import header
from messaging_service.idempotency import IdempotentCall, identify
from messaging_service.refusals import Compressed, InvalidRequest, Refusal, TooLarge, WrongContentType

MIB = 1024 * 1024
MAX_BODY = 1 * MIB
NOT_COMPRESSED = frozenset({None, "", "identity"})
"""What ``Content-Encoding`` may say."""
_MAX_IDEMPOTENCY_KEY = 255

Model = TypeVar("Model", bound=BaseModel)


async def read_body(request: Request, content: Content, limit: int = MAX_BODY) -> bytes:
    """Return the body. Raises WrongContentType, Compressed, and TooLarge as soon as it is over the limit."""
    given = header(request, "content-type") or ""
    if given != content and given.partition(";")[0].strip().lower() != content:
        raise WrongContentType(content)
    if header(request, "content-encoding") not in NOT_COMPRESSED:
        raise Compressed
    if int(header(request, "content-length") or 0) > limit:
        raise TooLarge(limit // MIB)
    body = bytearray()  # which grows in place, however small the pieces
    while True:
        event = await request.receive()
        if event["type"] == "http.disconnect":
            raise ClientDisconnect
        body += event.get("body", b"")
        if len(body) > limit:
            raise TooLarge(limit // MIB)
        if not event.get("more_body", False):
            return bytes(body)


async def read_model(request: Request, model: type[Model], limit: int = MAX_BODY) -> Model:
    """Return the JSON body as a model. Raises InvalidRequest, and as ``read_body``."""
    return parse(await read_body(request, Content.JSON, limit), model)


def parse(body: bytes, model: type[Model]) -> Model:
    """Return a JSON body as a model. Raises InvalidRequest."""
    try:
        return TypeAdapter(model).validate_json(body)
    except ValidationError as error:
        raise InvalidRequest(field_errors(error)) from None


def read_query(request: Request, model: type[Model]) -> Model:
    """Return the query parameters as a model, empty ones as absent. Raises InvalidRequest."""
    return check(_given(request), model)


def read_required_query(request: Request, model: type[Model], missing: str) -> Model:
    """Return the query parameters, empty ones as absent. Raises Refusal with ``missing``, InvalidRequest."""
    given = _given(request)
    for name, field in model.model_fields.items():
        names = {name, *getattr(field.validation_alias, "choices", ())}
        if field.is_required() and names.isdisjoint(given):
            raise Refusal(missing)
    return check(given, model)


def _given(request: Request) -> dict[str, str]:
    return {name: value for name, value in request.query_params.items() if value}


def check(values: dict[str, str], model: type[Model]) -> Model:
    """Return parameters as a model. Raises InvalidRequest."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise InvalidRequest(field_errors(error)) from None


def idempotent_call(request: Request, key: Key, body: bytes) -> IdempotentCall | None:
    """Return the call as its ``Idempotency-Key`` names it, None without one. Raises InvalidRequest."""
    given = header(request, IDEMPOTENCY_HEADER.lower())
    if given is None:
        return None
    if not 1 <= len(given) <= _MAX_IDEMPOTENCY_KEY:
        sentence = f"{IDEMPOTENCY_HEADER} must have 1 to {_MAX_IDEMPOTENCY_KEY} characters."
        raise InvalidRequest([FieldError(IDEMPOTENCY_HEADER, sentence)])
    return identify(key.id, given, f"{request.method} {request.url.path}", body)
