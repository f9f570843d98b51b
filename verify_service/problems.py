"""What a front end is told when something doesn't work: RFC 9457 problems with a stable code, in the reader's language.

The sentence of each code is in ``texts/``; it can be shown to the person as it is.
"""

from dataclasses import dataclass
from typing import Any

from flask import Response, json, make_response

from verify_service.texts import sentence

CONTENT_TYPE = "application/problem+json"
TYPE = "urn:dovecote:verify:"

STATUS: dict[str, int] = {
    "invalid-request": 400,  # the front end's fault: a field is missing or of the wrong kind
    "invalid-phone": 400,
    "invalid-code": 400,
    "invalid-code-format": 400,  # not six digits; no attempt is spent
    "unauthorized": 401,  # back ends only
    "origin-refused": 403,
    "not-found": 404,  # forged, foreign and unknown alike
    "no-such-address": 404,
    "method-not-allowed": 405,
    "start-in-progress": 409,
    "session-expired": 410,
    "result-expired": 410,
    "result-used": 410,
    "too-large": 413,
    "json-only": 415,
    "idempotency-key-reused": 422,
    "too-many-attempts": 429,  # for this number or session
    "too-many-requests": 429,  # from this client
    "resend-too-early": 429,
    "internal-error": 500,
    "upstream-error": 502,
    "unavailable": 503,
    "busy": 503,
    "outcome-unknown": 504,  # neither right nor wrong
}


@dataclass
class Problem(Exception):  # noqa: N818
    """A refusal. ``retry_after`` is in seconds; ``field`` names the member of the body that is meant."""

    code: str
    retry_after: int | None = None
    attempts_remaining: int | None = None
    field: str | None = None

    @property
    def status(self) -> int:
        """The HTTP status."""
        return STATUS[self.code]


def render(problem: Problem, language: str) -> Response:
    """Return the response of a problem."""
    response = make_response(json.dumps(_body(problem, language)), problem.status)
    response.content_type = CONTENT_TYPE
    response.content_language.add(language)
    if problem.retry_after is not None:
        response.headers["Retry-After"] = str(problem.retry_after)
    return response


def _body(problem: Problem, language: str) -> dict[str, Any]:
    members = {
        "type": TYPE + problem.code,
        "title": problem.code.replace("-", " ").capitalize(),
        "status": problem.status,
        "detail": sentence(problem.code, language),
        "code": problem.code,
        "field": problem.field,
        "retryAfter": problem.retry_after,
        "attemptsRemaining": problem.attempts_remaining,
    }
    return {name: value for name, value in members.items() if value is not None}
