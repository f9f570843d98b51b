"""Starts verifications: the limits, the session and the message with its code, written together or not at all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import structlog
from sqlalchemy import Connection

from messaging_service.clock import Milliseconds
from messaging_service.idempotency import claim
from messaging_service.refusals import Coded, UsedForAnotherCall
from messaging_service.store import idempotency_keys, messages, verification, verification_limits
from messaging_service.verification import measures, refusals
from messaging_service.verification.account import AccountVerification
from messaging_service.verification.accounts import AccountBook
from messaging_service.verification.codes import CodeKeeper
from messaging_service.verification.drafting import Draft, Start, draft
from messaging_service.verification.guard import Guard, Subject, Subjects, Tally, started

log = structlog.get_logger(__name__)

Started = bytes | Coded | UsedForAnotherCall
"""What a start comes to: its answer's JSON, or a refusal."""


@dataclass(slots=True)
class _Batch:
    """What the starts of one transaction share."""

    connection: Connection
    now: Milliseconds
    accounts: Mapping[int, AccountVerification]
    tallies: dict[Subject, Tally]
    touched: dict[Subject, Tally] = field(default_factory=dict)
    drafts: list[Draft] = field(default_factory=list)


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
        drafted = draft(start, settings, self._codes, batch.now)
        try:
            first = self._first_answer(batch, start, drafted)
        except UsedForAnotherCall as used:
            return used
        if first is not None:
            return first
        refusal = self._refusal(batch, subjects)
        if refusal is not None:
            _release(batch, start)
            return refusal
        _note(batch, {each: started(batch.tallies[each], batch.now) for each in subjects})
        batch.drafts.append(drafted)
        return drafted.answer

    def _first_answer(self, batch: _Batch, start: Start, drafted: Draft) -> bytes | None:
        """Return what a call with the same ``Idempotency-Key`` was answered. Kept sealed: it may hold a proof."""
        if start.idempotent_call is None:
            return None
        sealed = self._codes.seal(drafted.answer.decode()).encode()
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


def _subjects(start: Start) -> Subjects:
    return Subjects.of(start.key.account_id, start.number.phone_number, start.number.country)


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
    contents = [row for drafted in batch.drafts for row in drafted.plan.contents]
    addressees = [row for drafted in batch.drafts for row in drafted.plan.addressees]
    messages.add(batch.connection, contents, addressees)
    verification.add(batch.connection, [drafted.row for drafted in batch.drafts])
    measures.started(len(batch.drafts))
