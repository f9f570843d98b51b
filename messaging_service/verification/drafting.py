"""Drafts a verification: its code, the session that keeps only a hash of it, and the message. Writes nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

from interface.message import MessageRequest, Recipient
from interface.signatures import Proven, sign_proof
from messaging_service.accept.planning import Caller, Plan, plan_recipients
from messaging_service.accounts.keys import Key
from messaging_service.clock import Milliseconds, iso
from messaging_service.idempotency import IdempotentCall
from messaging_service.identifiers import new_id
from messaging_service.schedule import PRIORITY
from messaging_service.verification.account import AccountVerification
from messaging_service.verification.codes import CodeKeeper, new_code, new_token
from messaging_service.verification.guard import prefix_of
from messaging_service.verification.numbers import Number
from messaging_service.verification.session import CODE_LIFE, Status

TAG = "priority"


@dataclass(frozen=True, slots=True)
class Start:
    """A call that asks for a code; ``payload`` is the caller's, for the notifications."""

    key: Key
    number: Number
    payload: Mapping[str, Any] | None
    idempotent_call: IdempotentCall | None


class Draft(NamedTuple):
    """A session that isn't written yet: its row, its message, and the answer's JSON."""

    row: dict[str, Any]
    plan: Plan
    answer: bytes


def draft(start: Start, settings: AccountVerification, codes: CodeKeeper, now: Milliseconds) -> Draft:
    """Return a new session for a start, with a code of its own."""
    number, token, code = start.number.phone_number, new_token(), new_code()
    plan = Plan(new_id())
    (message_id,) = plan_recipients(plan, Caller(start.key, now, PRIORITY), _message(start, settings))
    row = {
        "token": token,
        "account_id": start.key.account_id,
        "message_id": message_id,
        "phone_number": number,
        "prefix": prefix_of(number),
        "code_digest": codes.digest(token, code),
        "sealed_code": codes.seal(code),
        "attempts_allowed": settings.attempts,
        "created_at": now,
        "expires_at": now + CODE_LIFE,
    }
    return Draft(row, plan, orjson.dumps(_answer(Proven(number, token, code, iso(now)), settings, now)))


def _message(start: Start, settings: AccountVerification) -> MessageRequest:
    recipient = Recipient(phone_number=start.number.recipient)
    return MessageRequest(to=[recipient], body=settings.text, tag=TAG, payload=start.payload)


def _answer(proven: Proven, settings: AccountVerification, now: Milliseconds) -> dict[str, str]:
    answer = {"token": proven.token, "status": Status.PENDING.value, "expiresAt": iso(now + CODE_LIFE)}
    answer["timestamp"] = proven.timestamp
    secret = settings.secret.get_secret_value()
    return {**answer, "proof": sign_proof(proven, secret)} if secret else answer
