"""Delivery results, rejection codes, and which result may follow which (specification, sections 3 and 7)."""

from collections.abc import Mapping
from enum import IntEnum, StrEnum


class Result(StrEnum):
    """Where a message is in its life. Each value says who moves a message there and what the account is told."""

    ACCEPTED = "accepted"  # phase 1 wrote it; told by the response of the call, never by a notification
    CANCELLED = "cancelled"  # the account cancelled it while it was scheduled; told by the response of the cancel call
    REJECTED = "rejected"  # phase 2 refused it; notified with the rejection code, nothing is sent or charged
    SENDING = "sending"  # phase 2 charged it and hands it to the operator; notified
    SENT = "sent"  # the operator took it for delivery; notified
    DELIVERED = "delivered"  # the recipient's device confirmed it; notified
    SEEN = "seen"  # the recipient opened it, chat channels only; notified
    UNDELIVERED = "undelivered"  # the operator gave up on the device; notified
    FAILED = "failed"  # a technical failure on the way out; notified


FOLLOWERS: Mapping[Result, frozenset[Result]] = {
    Result.ACCEPTED: frozenset({Result.SENDING, Result.REJECTED, Result.CANCELLED, Result.FAILED}),
    Result.SENDING: frozenset({Result.SENT, Result.DELIVERED, Result.SEEN, Result.UNDELIVERED, Result.FAILED}),
    Result.SENT: frozenset({Result.DELIVERED, Result.SEEN, Result.UNDELIVERED, Result.FAILED}),
    Result.DELIVERED: frozenset({Result.SEEN}),
    Result.SEEN: frozenset(),
    Result.UNDELIVERED: frozenset(),
    Result.FAILED: frozenset(),
    Result.REJECTED: frozenset(),
    Result.CANCELLED: frozenset(),
}
"""The one table of transitions. What it doesn't list (a repeat, a late or backward event) changes nothing."""

FINAL = frozenset(
    {Result.DELIVERED, Result.SEEN, Result.UNDELIVERED, Result.FAILED, Result.REJECTED, Result.CANCELLED},
)
"""Results with which a message's journey is over for the caller; only ``seen`` may still follow ``delivered``."""


def may_follow(current: Result, new: Result) -> bool:
    """Whether a message with the result ``current`` moves on when ``new`` is reported for it."""
    return new in FOLLOWERS[current]


class ResultCode(IntEnum):
    """The code in ``result_info`` (specification 7.3, details "Rejection codes")."""

    DELIVERED = 0
    UNDELIVERED = 1
    REJECTED = 2
    FAILED = 3
    INVALID_NUMBER = 302
    NOT_ALLOWED = 303
    SUPPRESSED = 304
    TOO_MANY_IDENTICAL = 306
    INSUFFICIENT_CREDIT = 307


DESCRIPTIONS: Mapping[ResultCode, str] = {
    ResultCode.DELIVERED: "Delivered",
    ResultCode.UNDELIVERED: "Undelivered",
    ResultCode.REJECTED: "Rejected",
    ResultCode.FAILED: "Failed",
    ResultCode.INVALID_NUMBER: "Invalid phone number",
    ResultCode.NOT_ALLOWED: "Phone number is not in the allowed list",
    ResultCode.SUPPRESSED: "Phone number is blacklisted or opted out",
    ResultCode.TOO_MANY_IDENTICAL: "Too many identical messages for this recipient",
    ResultCode.INSUFFICIENT_CREDIT: "Insufficient credit",
}


def result_info(code: int | None, description: str | None = None) -> str:
    """Render ``[code] description``, where each part is optional (specification, section 6)."""
    if code is None:
        return description or ""
    known = DESCRIPTIONS[ResultCode(code)] if code in set(ResultCode) else ""
    return f"[{code}] {description or known}".rstrip()
