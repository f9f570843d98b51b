"""Checks codes: a guess is counted, the upstream is asked, and what it says is written."""

import math
from collections.abc import Iterable
from dataclasses import replace

import structlog

from verify_service import measures, sessions
from verify_service.database import Clock, Store
from verify_service.problems import Problem
from verify_service.sessions import Session
from verify_service.settings import Settings
from verify_service.translating import problem_of, was_judged
from verify_service.upstream.client import Guess, Upstream
from verify_service.upstream.errors import Failed, Refused, Unreachable, UpstreamError

RESULT_LIFE = 300.0

log = structlog.get_logger(__name__)


class Checking:
    """Judges guesses. No transaction is open while the upstream is asked."""

    def __init__(self, settings: Settings, store: Store, upstream: Upstream, now: Clock) -> None:
        self._settings = settings
        self._store = store
        self._upstream = upstream
        self._now = now

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
        log.info("session.verified", number=session.masked_number, purpose=session.purpose)
        return replace(session, verified_at=verified_at, result_expires_at=until)

    def _count(self, session_id: str) -> Session:
        """Count a guess, before it is judged. Raises Problem."""
        ended = self._now() - self._settings.clock_tolerance
        with self._store.at_once() as connection:
            counted = sessions.count_guess(connection, session_id, self._settings.attempts, ended)
            if counted is not None:
                return counted
            session = sessions.find_open(connection, session_id, ended)
        raise Problem("too-many-attempts", retry_after=max(1, math.ceil(session.expires_at - self._now())))

    def _ask(self, session: Session, code: str) -> str:
        """Return when a code of the session was given; of its codes the newest is meant first. Raises UpstreamError."""
        newest, *older = (Guess(token, session.phone_number, code) for token in session.upstream_tokens)
        try:
            return self._upstream.verify(newest)
        except Refused as refusal:
            if refusal.error != "INVALID_CODE":
                raise
            verified_at = self._ask_older(older)
            if verified_at is None:
                raise
            return verified_at

    def _ask_older(self, guesses: Iterable[Guess]) -> str | None:
        """Return when one of these was right, None when none is. Raises UpstreamError."""
        for guess in guesses:
            try:
                return self._upstream.verify(guess)
            except Refused as over:
                log.debug("session.older_code", error=over.error[:40])
            except Unreachable:  # by the newest code the guess was judged all the same
                raise Failed("no connection, to ask about an older code") from None
        return None

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
