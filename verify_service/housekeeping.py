"""Deletes what is over, now and then, so that the store stays small."""

import threading

import structlog
from sqlalchemy.exc import SQLAlchemyError

from verify_service import limits, proofs, sessions, starts
from verify_service.database import Clock, Store

EVERY = 300.0
KEPT = 3600.0
"""Seconds for which a session stays after its end, so that a late result can still say that it is late."""

log = structlog.get_logger(__name__)


class Housekeeping:
    """Runs in the thread of a call, in each process every five minutes at most."""

    def __init__(self, store: Store, now: Clock) -> None:
        self._store = store
        self._now = now
        self._next = now() + EVERY
        self._lock = threading.Lock()

    def run_if_due(self) -> None:
        """Delete what is over, if it is time."""
        now = self._now()
        if now < self._next or not self._lock.acquire(blocking=False):
            return
        try:
            self._next = now + EVERY
            with self._store.writing() as connection:
                starts.forget(connection, now)
                sessions.forget(connection, now - KEPT)
                limits.forget(connection, now)
                proofs.forget(connection, now)
        except SQLAlchemyError as error:  # the call itself was answered
            log.warning("store.not_tidied", why=type(error).__name__)
        finally:
            self._lock.release()
