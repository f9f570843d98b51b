"""Sends codes: the first one starts a session, and a session may ask for more."""

import math
from dataclasses import dataclass, replace

import structlog

from verify_service import sessions, starts
from verify_service.database import Clock, Store
from verify_service.problems import Problem
from verify_service.sessions import Code, Session
from verify_service.settings import Settings
from verify_service.starts import StartKey
from verify_service.tokens import new_id
from verify_service.translating import problem_of
from verify_service.upstream.client import Sent, Upstream
from verify_service.upstream.errors import UpstreamError

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A start: ``phone_number`` in international digits; ``idempotency_key`` empty when the client sent none."""

    phone_number: str
    purpose: str
    idempotency_key: str


class Sending:
    """Starts sessions and sends them further codes. No transaction is open while the upstream is asked."""

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
            session = sessions.find_open(connection, session_id, now - self._settings.clock_tolerance)
        if session.resends >= self._settings.resends or session.guesses >= self._settings.attempts:
            raise Problem("too-many-attempts", retry_after=max(1, math.ceil(session.expires_at - now)))
        wait = session.sent_at + self._settings.resend_after - now
        if wait > 0:
            raise Problem("resend-too-early", retry_after=math.ceil(wait))
        with self._store.at_once() as connection:
            if not sessions.claim_resend(connection, session, now):
                raise Problem("resend-too-early", retry_after=max(1, self._settings.resend_after))
        return self._send_again(session, now)

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
        log.info("session.started", number=session.masked_number, purpose=session.purpose)
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
        log.info("session.resent", number=session.masked_number)
        return replace(session, sent_at=code.sent_at, expires_at=code.expires_at, resends=session.resends + 1)
