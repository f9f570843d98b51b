"""How the verification API refuses (specification 7.4, details "Verification API"): code, sentence, header fields."""

from math import ceil

from messaging_service.clock import SECOND, Milliseconds
from messaging_service.refusals import Coded
from messaging_service.verification.limits import Limit, Refused
from messaging_service.verification.session import CODE_LIFE, Session

ACCOUNT_LIMITS = frozenset({"account", "country"})
"""Limits that are about what the account does; the others protect a number and its neighbours."""


def missing_field(name: str) -> Coded:
    """Return the refusal of a body without a required field."""
    return Coded("MISSING_FIELD", f"{name} is required.")


def invalid_request(sentence: str) -> Coded:
    """Return the refusal of a body that can't be read, or of a field without a code of its own."""
    return Coded("INVALID_REQUEST", sentence)


def invalid_phone() -> Coded:
    """Return the refusal of what isn't a number with country code."""
    sentence = "phoneNumber must be 7 to 15 digits with country code, without +, and not begin with 0."
    return Coded("INVALID_PHONE", sentence)


def country_not_allowed() -> Coded:
    """Return the refusal of a number of a country that the account hasn't allowed."""
    return Coded("INVALID_PHONE", "phoneNumber belongs to a country in which this account verifies no numbers.")


def invalid_code_format() -> Coded:
    """Return the refusal of what can't be a code; it isn't an attempt."""
    return Coded("INVALID_CODE_FORMAT", "code must be a string of exactly 6 digits.")


def not_found() -> Coded:
    """Return the refusal of a token that the account doesn't have, whoever else may."""
    return Coded("NOT_FOUND", "There is no validation with this token.", 404)


def already_verified() -> Coded:
    """Return the refusal of a code that was used."""
    return Coded("ALREADY_VERIFIED", "This validation is verified already.")


def expired() -> Coded:
    """Return the refusal of a code whose time is over."""
    return Coded("EXPIRED", "The code has expired; start a new validation.")


def invalid_code(session: Session) -> Coded:
    """Return the refusal of a wrong code."""
    refusal = Coded("INVALID_CODE", "The code is wrong.")
    refusal.details = {"attemptsRemaining": session.attempts_left}
    return refusal


def too_many_attempts(session: Session, now: Milliseconds) -> Coded:
    """Return the refusal of a guess after the last one, whether it is right or not."""
    refusal = Coded("TOO_MANY_ATTEMPTS", "The attempts at this code are used up; start a new validation.", 429)
    limit = Limit("attempts", session.attempts_allowed, CODE_LIFE)
    refusal.headers = _limit_fields(Refused(limit, session.expires_at - now))
    return refusal


def limited(refused: Refused) -> Coded:
    """Return the refusal of a start over a limit."""
    if refused.limit.name in ACCOUNT_LIMITS:
        refusal = Coded("TENANT_RATE_LIMIT", "The account has started too many validations.", 429)
    else:
        refusal = Coded("PHONE_RATE_LIMIT", "There were too many attempts for this phone number.", 429)
    refusal.headers = _limit_fields(refused)
    return refusal


def why_not(session: Session | None, now: Milliseconds) -> Coded:
    """Return why a guess at a session isn't judged."""
    if session is None:
        return not_found()
    if session.verified_at is not None:
        return already_verified()
    if session.expires_at <= now:
        return expired()
    return too_many_attempts(session, now)


def _limit_fields(refused: Refused) -> dict[str, str]:
    """Return ``Retry-After``, and the fields of draft-ietf-httpapi-ratelimit-headers-10, in seconds."""
    limit, seconds = refused.limit, max(1, ceil(refused.wait / SECOND))
    return {
        "Retry-After": str(seconds),
        "RateLimit-Policy": f'"{limit.name}";q={limit.quota};w={limit.window // SECOND}',
        "RateLimit": f'"{limit.name}";r=0;t={seconds}',
    }
