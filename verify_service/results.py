"""Redeems results: once, by a back end, within five minutes."""

from verify_service import sessions
from verify_service.database import Clock, Store
from verify_service.problems import Problem
from verify_service.sessions import Session


class Results:
    """What sessions came to, for back ends. ``clock_tolerance`` is in seconds."""

    def __init__(self, store: Store, clock_tolerance: float, now: Clock) -> None:
        self._store = store
        self._tolerance = clock_tolerance
        self._now = now

    def redeem(self, session_id: str) -> Session:
        """Use a result up and return its session. Raises Problem (``not-found``, ``result-…``)."""
        now = self._now()
        with self._store.settling() as connection:
            session = sessions.find(connection, session_id)
            if session is None or session.result_expires_at is None:
                raise Problem("not-found")
            if session.result_expires_at + self._tolerance <= now:
                raise Problem("result-expired")
            if not sessions.redeem(connection, session.id, now):
                raise Problem("result-used")
        return session
