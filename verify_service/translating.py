"""What each failure of the upstream is to the front end: the one table. Pure but for the log."""

import structlog

from verify_service import measures
from verify_service.problems import Problem
from verify_service.upstream.errors import Failed, NoAnswer, Refused, Unreachable, UpstreamError

ANY = "*"
_TABLE = (
    (400, "INVALID_PHONE", "invalid-phone"),
    (400, "INVALID_CODE", "invalid-code"),
    (400, "EXPIRED", "session-expired"),
    (404, ANY, "session-expired"),
    (401, ANY, "unavailable"),  # a person can do nothing about our key
    (403, ANY, "unavailable"),
    (409, "STILL_RUNNING", "start-in-progress"),
    (429, "TENANT_RATE_LIMIT", "busy"),
    (429, ANY, "too-many-attempts"),
)
"""Status and error of the upstream, and the code for the front end. Every other refusal is our fault."""

_WAITS = {"busy": 5, "too-many-attempts": 60, "start-in-progress": 1}
"""Seconds to wait where the upstream names none."""

log = structlog.get_logger(__name__)


def problem_of(error: UpstreamError) -> Problem:
    """Return what the front end is told, and log what operations must know."""
    match error:
        case Refused():
            return _problem_of_refusal(error)
        case NoAnswer():
            log.warning("upstream.no_answer")
            return Problem("outcome-unknown")
        case Unreachable():
            log.error("upstream.unreachable")
        case Failed(why=why):
            log.error("upstream.failed", why=why)
        case _:
            log.error("upstream.failed", why=type(error).__name__)
    return Problem("upstream-error")


def was_judged(error: UpstreamError) -> bool:
    """Whether the upstream may have judged the code that came with the failed call."""
    if isinstance(error, Refused):
        return error.status not in {401, 403} and error.error != "TENANT_RATE_LIMIT"
    return not isinstance(error, Unreachable)


def _problem_of_refusal(refusal: Refused) -> Problem:
    code = _code_of(refusal)
    if code == "unavailable":
        log.critical("upstream.refuses_our_key", status=refusal.status)
        measures.key_refused()
    elif code == "upstream-error":
        log.error("upstream.our_fault", status=refusal.status, error=refusal.error[:40])
    wait = refusal.retry_after or _WAITS.get(code)
    left = refusal.attempts_remaining if code == "invalid-code" else None
    return Problem(code, wait if code in _WAITS else None, left)


def _code_of(refusal: Refused) -> str:
    for status, error, code in _TABLE:
        if refusal.status == status and error in {ANY, refusal.error}:
            return code
    return "upstream-error"
