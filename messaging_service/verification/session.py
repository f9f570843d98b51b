"""A verification session and what it may still do (details, "Verification API"). Pure."""

from enum import StrEnum
from typing import NamedTuple

from interface.results import Result
from messaging_service.clock import DAY, MINUTE, Milliseconds

CODE_LIFE: Milliseconds = 10 * MINUTE
SESSION_KEPT_FOR: Milliseconds = 30 * DAY
"""How long a proof can be looked up; a session that is gone is as unknown as one that never was."""


class Status(StrEnum):
    """Where a session is. It goes from the first to the second and ends in one of the others."""

    PENDING = "pending"  # started: the message with the code is on disk
    CODE_SENT = "code_sent"  # the operator took the message
    VERIFIED = "verified"  # the code was given
    FAILED = "failed"  # the attempts are used up, or the message can't be delivered
    EXPIRED = "expired"  # ten minutes are over, or a newer code was used


_UNDELIVERABLE = frozenset({Result.REJECTED, Result.FAILED, Result.UNDELIVERED, Result.CANCELLED})


class Session(NamedTuple):
    """One code for one number, as the store has it."""

    token: str
    account_id: int
    phone_number: str
    code_digest: str
    attempts: int
    attempts_allowed: int
    created_at: Milliseconds
    expires_at: Milliseconds
    verified_at: Milliseconds | None
    proof_digest: str | None

    @property
    def attempts_left(self) -> int:
        """How many guesses are still judged."""
        return self.attempts_allowed - self.attempts


def status_of(session: Session, message: Result, now: Milliseconds) -> Status:
    """Return the status of a session, given the result of the message that carries its code."""
    if session.verified_at is not None:
        return Status.VERIFIED
    if session.expires_at <= now:
        return Status.EXPIRED
    if session.attempts_left <= 0 or message in _UNDELIVERABLE:
        return Status.FAILED
    return Status.PENDING if message in {Result.ACCEPTED, Result.SENDING} else Status.CODE_SENT
