"""A session from its start to its result: what a person does, step by step."""

import math
from dataclasses import dataclass, replace

import structlog
from sqlalchemy import Connection

from verify_service import measures, sessions, starts
from verify_service.database import Clock, Store
from verify_service.problems import Problem
from verify_service.sessions import Code, Session
from verify_service.settings import Settings
from verify_service.starts import StartKey
from verify_service.tokens import new_id
from verify_service.translating import problem_of, was_judged
from verify_service.upstream import Guess, Refused, Sent, Upstream, UpstreamError

RESULT_LIFE = 300.0

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A start: ``phone_number`` in international digits; ``idempotency_key`` empty when the client sent none."""

    phone_number: str
    purpose: str
    idempotency_key: str


class Verifying:
    """Starts sessions, sends further codes and checks guesses. No transaction is open while the upstream is asked."""

    def __init__(self, settings: Settings, store: Store, upstream: Upstream, now: Clock) -> None:
        self._settings = settings
        self._store = store
        self._upstream = upstream
        self._now = now

    def start(self, wanted: Wanted) -> Session:
        """Send a code. The same Idempotency-Key gives the same session. Raises Problem."""
        if not wanted.idempotency_key:
            return self._start_new(wanted, None)
        key = StartKey.of(wanted.idempotency_key, wanted.phone_number, wanted.purpose)
        with self._store.writing() as connection:
            session_id = starts.claim(connection, key, self._now())
            session = sessions.find(connection, session_id) if session_id else None
        if session_id is None:
            return self._start_new(wanted, key)
        if session is None or session.verified_at or session.expires_at <= self._now():
            raise Problem("session-expired")
        return session

    def resend(self, session_id: str) -> Session:
        """Send another code for a session; the guesses that were made stay made. Raises Problem."""
        now = self._now()
        with self._store.at_once() as connection:
            session = self._find_open(connection, session_id)
        if session.resends >= self._settings.resends or session.guesses >= self._settings.attempts:
            raise Problem("too-many-attempts", retry_after=max(1, math.ceil(session.expires_at - now)))
        wait = session.sent_at + self._settings.resend_after - now
        if wait > 0:
            raise Problem("resend-too-early", retry_after=math.ceil(wait))
        with self._store.at_once() as connection:
            if not sessions.claim_resend(connection, session, now):
                raise Problem("resend-too-early", retry_after=max(1, self._settings.resend_after))
        return self._send_again(session, now)

    def check(self, session_id: str, code: str) -> Session:
        """Judge a guess. Returns the verified session. Raises Problem."""
        session = self._count(session_id)
        try:
            verified_at = self._ask(session, code)
        except UpstreamError as error:
            raise self._refusal(session, error) from None
        until = self._now() + RESULT_LIFE
        with self._store.at_once() as connection:
            if not sessions.verify(connection, session.id, verified_at, until):
                raise Problem("session-expired")
        measures.verified()
        log.info("session.verified", number=masked(session.phone_number), purpose=session.purpose)
        return replace(session, verified_at=verified_at, result_expires_at=until)

    def _start_new(self, wanted: Wanted, key: StartKey | None) -> Session:
        session_id = new_id()
        try:
            sent = self._upstream.start(wanted.phone_number, wanted.idempotency_key, session_id)
            session = self._new_session(session_id, wanted, sent)
            self._add(session, key)
        except BaseException as error:
            self._release(key)
            if isinstance(error, UpstreamError):
                raise problem_of(error) from None
            raise
        log.info("session.started", number=masked(session.phone_number), purpose=session.purpose)
        return session

    def _new_session(self, session_id: str, wanted: Wanted, sent: Sent) -> Session:
        now = self._now()
        return Session(
            id=session_id,
            phone_number=wanted.phone_number,
            purpose=wanted.purpose,
            upstream_tokens=(sent.token,),
            sent_at=now,
            expires_at=now + sent.life,
        )

    def _add(self, session: Session, key: StartKey | None) -> None:
        if key is None:
            with self._store.at_once() as connection:
                sessions.add(connection, session)
        else:
            with self._store.writing() as connection:
                sessions.add(connection, session)
                starts.settle(connection, key, session.id)

    def _release(self, key: StartKey | None) -> None:
        if key is not None:
            with self._store.at_once() as connection:
                starts.release(connection, key)

    def _send_again(self, session: Session, claimed_at: float) -> Session:
        try:
            sent = self._upstream.start(session.phone_number, "", f"{session.id}-{session.resends + 1}")
        except UpstreamError as error:
            with self._store.at_once() as connection:
                sessions.give_back_resend(connection, session, claimed_at)
            raise problem_of(error) from None
        now = self._now()
        code = Code(sent.token, now, now + sent.life)
        with self._store.writing() as connection:
            sessions.add_code(connection, session.id, code)
        log.info("session.resent", number=masked(session.phone_number))
        return replace(session, sent_at=code.sent_at, expires_at=code.expires_at, resends=session.resends + 1)

    def _count(self, session_id: str) -> Session:
        """Count a guess, before it is judged. Raises Problem."""
        ended = self._now() - self._settings.clock_tolerance
        with self._store.at_once() as connection:
            counted = sessions.count_guess(connection, session_id, self._settings.attempts, ended)
            if counted is not None:
                return counted
            session = self._find_open(connection, session_id)
        raise Problem("too-many-attempts", retry_after=max(1, math.ceil(session.expires_at - self._now())))

    def _find_open(self, connection: Connection, session_id: str) -> Session:
        session = sessions.find(connection, session_id)
        if session is None:
            raise Problem("not-found")
        if session.verified_at is not None or session.expires_at + self._settings.clock_tolerance <= self._now():
            raise Problem("session-expired")
        return session

    def _ask(self, session: Session, code: str) -> str:
        """Return when a code of the session was given; of its codes the newest is meant first. Raises UpstreamError."""
        newest, *older = (Guess(token, session.phone_number, code) for token in session.upstream_tokens)
        try:
            return self._upstream.verify(newest)
        except Refused as refusal:
            if refusal.error != "INVALID_CODE":
                raise
            for guess in older:
                try:
                    return self._upstream.verify(guess)
                except Refused as over:
                    log.debug("session.older_code", error=over.error[:40])
            raise

    def _refusal(self, session: Session, error: UpstreamError) -> Problem:
        """Return what the front end is told about a guess, as things stand now."""
        problem = problem_of(error)
        with self._store.writing() as connection:
            if not was_judged(error):
                sessions.give_back_guess(connection, session.id)
            present = sessions.find(connection, session.id) or session
        if present.verified_at is not None:  # by the same code, at the same time
            return Problem("session-expired")
        if problem.code == "invalid-code":
            left = max(0, self._settings.attempts - present.guesses)
            given = problem.attempts_remaining
            return replace(problem, attempts_remaining=left if given is None else min(left, given))
        return problem


def masked(phone_number: str) -> str:
    """Return a number as it may be shown and logged: its beginning and its last two digits."""
    return f"+{phone_number[:3]} ••• ••• ••{phone_number[-2:]}"
