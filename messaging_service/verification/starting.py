"""Starts verifications: the limits, the session and the message with its code, written together or not at all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import orjson
import structlog
from sqlalchemy import Connection

from interface.message import MessageRequest, Recipient
from interface.signatures import Proven, sign_proof
from messaging_service.accept.planning import Caller, Plan, plan_recipients
from messaging_service.accounts.keys import Key
from messaging_service.clock import Milliseconds, iso
from messaging_service.idempotency import IdempotentCall, claim
from messaging_service.identifiers import new_id
from messaging_service.refusals import Coded, UsedForAnotherCall
from messaging_service.schedule import PRIORITY
from messaging_service.store import idempotency_keys, messages, verification, verification_limits
from messaging_service.verification import measures, refusals
from messaging_service.verification.account import AccountVerification
from messaging_service.verification.accounts import AccountBook
from messaging_service.verification.codes import CodeKeeper, new_code, new_token
from messaging_service.verification.guard import Guard, Subject, Subjects, Tally, prefix_of, started
from messaging_service.verification.numbers import Number
from messaging_service.verification.session import CODE_LIFE, Status

TAG = "priority"

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Start:
    """A call that asks for a code; ``payload`` is the caller's, for the notifications."""

    key: Key
    number: Number
    payload: Mapping[str, Any] | None
    idempotent_call: IdempotentCall | None


Started = bytes | Coded | UsedForAnotherCall
"""What a start comes to: its answer's JSON, or a refusal."""


class _Draft(NamedTuple):
    """A session that isn't written yet."""

    row: dict[str, Any]
    plan: Plan
    answer: bytes


@dataclass(slots=True)
class _Batch:
    """What the starts of one transaction share."""

    connection: Connection
    now: Milliseconds
    accounts: Mapping[int, AccountVerification]
    tallies: dict[Subject, Tally]
    touched: dict[Subject, Tally] = field(default_factory=dict)
    drafts: list[_Draft] = field(default_factory=list)


class Starting:
    """Decides about starts and writes them, in a transaction that its caller opens."""

    def __init__(self, codes: CodeKeeper, accounts: AccountBook, guard: Guard) -> None:
        self._codes = codes
        self._accounts = accounts
        self._guard = guard

    def write(self, connection: Connection, starts: Sequence[Start], now: Milliseconds) -> list[Started]:
        """Write starts, one after another as the limits let them. Returns what each comes to, in order."""
        if not starts:
            return []
        subjects = [_subjects(start) for start in starts]
        tallies = verification_limits.hold(connection, (each for of_start in subjects for each in of_start), now)
        accounts = self._accounts.read(connection, (start.key.account_id for start in starts))
        batch = _Batch(connection, now, accounts, tallies)
        outcomes = [self._start(batch, start, of_start) for start, of_start in zip(starts, subjects, strict=True)]
        _write(batch)
        return outcomes

    def _start(self, batch: _Batch, start: Start, subjects: Subjects) -> Started:
        settings = batch.accounts[start.key.account_id]
        if not settings.allows(start.number.country):
            return refusals.country_not_allowed()
        draft = self._draft(start, settings, batch.now)
        try:
            first = self._first_answer(batch, start, draft)
        except UsedForAnotherCall as used:
            return used
        if first is not None:
            return first
        refusal = self._refusal(batch, subjects)
        if refusal is not None:
            _release(batch, start)
            return refusal
        _note(batch, {each: started(batch.tallies[each], batch.now) for each in subjects})
        batch.drafts.append(draft)
        return draft.answer

    def _first_answer(self, batch: _Batch, start: Start, draft: _Draft) -> bytes | None:
        """Return what a call with the same ``Idempotency-Key`` was answered. Kept sealed: it may hold a proof."""
        if start.idempotent_call is None:
            return None
        sealed = self._codes.seal(draft.answer.decode()).encode()
        first = claim(batch.connection, start.idempotent_call, sealed, batch.now)
        return None if first is None else self._codes.unseal(first.decode()).encode()

    def _refusal(self, batch: _Batch, subjects: Subjects) -> Coded | None:
        prefix = batch.tallies[subjects.prefix]
        if self._guard.is_suspicious(prefix, batch.now):
            _note(batch, {subjects.prefix: self._judged(batch, subjects.prefix)})
        tallies = tuple(batch.tallies[each] for each in subjects)
        refused = self._guard.refusal(tallies, batch.now)
        if refused is None:
            return None
        measures.start_refused(refused.limit.name)
        return refusals.limited(refused)

    def _judged(self, batch: _Batch, prefix: Subject) -> Tally:
        since = batch.now - self._guard.pumping.window
        verified = verification.count_verified(batch.connection, prefix.name, since)
        before = batch.tallies[prefix]
        judged = self._guard.judged(before, verified, batch.now)
        if judged.refused_until > before.refused_until:
            measures.prefix_refused()
            log.warning("verification.pumping", prefix=prefix.name, verified=verified)
        return judged

    def _draft(self, start: Start, settings: AccountVerification, now: Milliseconds) -> _Draft:
        token, code = new_token(), new_code()
        plan = Plan(new_id())
        (message_id,) = plan_recipients(plan, Caller(start.key, now, PRIORITY), _message(start, settings))
        answer = {"token": token, "status": Status.PENDING.value, "expiresAt": iso(now + CODE_LIFE)}
        answer["timestamp"] = iso(now)
        secret = settings.secret.get_secret_value()
        if secret:
            answer["proof"] = sign_proof(Proven(start.number.phone_number, token, code, iso(now)), secret)
        row = {
            "token": token,
            "account_id": start.key.account_id,
            "message_id": message_id,
            "phone_number": start.number.phone_number,
            "prefix": prefix_of(start.number.phone_number),
            "code_digest": self._codes.digest(token, code),
            "sealed_code": self._codes.seal(code),
            "attempts_allowed": settings.attempts,
            "created_at": now,
            "expires_at": now + CODE_LIFE,
        }
        return _Draft(row, plan, orjson.dumps(answer))


def _subjects(start: Start) -> Subjects:
    return Subjects.of(start.key.account_id, start.number.phone_number, start.number.country)


def _message(start: Start, settings: AccountVerification) -> MessageRequest:
    recipient = Recipient(phone_number=start.number.recipient)
    return MessageRequest(to=[recipient], body=settings.text, tag=TAG, payload=start.payload)


def _release(batch: _Batch, start: Start) -> None:
    """Leave the key of a refused call free, so that the same call may come again when the limit is over."""
    if start.idempotent_call is not None:
        idempotency_keys.remove(batch.connection, start.idempotent_call.key_id, start.idempotent_call.idempotency_key)


def _note(batch: _Batch, tallies: Mapping[Subject, Tally]) -> None:
    batch.tallies.update(tallies)
    batch.touched.update(tallies)


def _write(batch: _Batch) -> None:
    verification_limits.save(batch.connection, batch.touched, batch.now)
    if not batch.drafts:
        return
    contents = [row for draft in batch.drafts for row in draft.plan.contents]
    addressees = [row for draft in batch.drafts for row in draft.plan.addressees]
    messages.add(batch.connection, contents, addressees)
    verification.add(batch.connection, [draft.row for draft in batch.drafts])
    measures.started(len(batch.drafts))
