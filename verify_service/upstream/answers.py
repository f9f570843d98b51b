"""Reads what the upstream answers: whole, in time, not too large, and of the shape that the interface has."""

import re
import time
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import TypeVar

import requests
from pydantic import BaseModel, ValidationError

from interface.verification import ValidationStarted, VerificationProblem
from verify_service.upstream.errors import Failed, NoAnswer, Refused

LARGEST_ANSWER = 64 * 1024
LONGEST_LIFE = timedelta(hours=24)
_LONGEST_WAIT = 86_400
_SECONDS = re.compile("[0-9]{1,9}")
_CHUNK = 4096

Answer = TypeVar("Answer", bound=BaseModel)


def content_of(response: requests.Response, ends: float) -> bytes:
    """Return the body. Raises NoAnswer, Failed.

    The library's own time-out is for each piece of it; ``ends`` (monotonic seconds) is for the whole.
    """
    content = b""
    while chunk := response.raw.read1(_CHUNK, decode_content=True):
        content += chunk
        if len(content) > LARGEST_ANSWER:
            raise Failed("an answer that is too large")
        if time.monotonic() > ends:
            raise NoAnswer
    return content


def check_status(response: requests.Response, content: bytes) -> None:
    """Raise what a status other than 200 says: Refused, Failed."""
    status = response.status_code
    if status == HTTPStatus.OK:
        return
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status < HTTPStatus.BAD_REQUEST:
        raise Failed(f"status {status}")
    try:
        problem = VerificationProblem.model_validate_json(content, strict=True)
    except ValidationError:
        problem = VerificationProblem(error="")
    raise Refused(status, problem.error, problem.attempts_remaining, _seconds(response.headers.get("Retry-After", "")))


def _seconds(wait: str) -> int | None:
    return min(int(wait), _LONGEST_WAIT) if _SECONDS.fullmatch(wait) else None


def read(model: type[Answer], status: int, content: bytes) -> Answer:
    """Return the answer in a body. Raises Failed."""
    try:
        return model.model_validate_json(content, strict=True)
    except ValidationError:
        raise Failed(f"status {status} without a valid answer") from None


def life_of(started: ValidationStarted) -> float:
    """Return how long the code lives, by the upstream's own clock, which may differ from ours. Raises Failed."""
    life = moment(started.expires_at) - moment(started.timestamp)
    if not started.token or not timedelta() < life <= LONGEST_LIFE:
        raise Failed("a start without a token or a sensible time")
    return life.total_seconds()


def moment(text: str) -> datetime:
    """Return a moment of the upstream (ISO 8601). Raises Failed."""
    try:
        told = datetime.fromisoformat(text)
        return told.astimezone(UTC) if told.tzinfo else told.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise Failed("a moment that isn't one") from None
