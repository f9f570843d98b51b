"""Forgets what is kept for a time only."""

import asyncio

from messaging_service.clock import DAY, Clock, Milliseconds
from messaging_service.idempotency import KEPT_FOR
from messaging_service.store import idempotency_keys, links, mails, verification, verification_limits
from messaging_service.store.engine import Store
from messaging_service.verification.guard import REMEMBERED
from messaging_service.verification.session import SESSION_KEPT_FOR

_EVERY_SECONDS = 600
LINKS_REMEMBERED: Milliseconds = 30 * DAY
"""How long a short link that has ended is still told from one that never was."""
LINKS_A_TRANSACTION = 2000
MAILS_REMEMBERED: Milliseconds = 30 * DAY
"""How long an e-mail that was given up is kept."""


class Housekeeping:
    """Deletes, now and then, what nobody needs any more: expired, old, ended, given up."""

    def __init__(self, store: Store, journal_store: Store, clock: Clock) -> None:
        self._store = store
        self._journal = journal_store
        self._clock = clock

    async def run(self) -> None:
        """Tidy up until cancelled."""
        while True:
            await asyncio.to_thread(self.tidy)
            await asyncio.sleep(_EVERY_SECONDS)

    def tidy(self) -> None:
        """Tidy up once."""
        now = self._clock.now()
        with self._journal.writing() as connection:
            idempotency_keys.forget(connection, now - KEPT_FOR)
        with self._store.writing() as connection:
            idempotency_keys.forget(connection, now - KEPT_FOR)
            verification.forget(connection, now - SESSION_KEPT_FOR)
            # A prefix is refused for as long as starts are remembered: after twice that, nothing of a row matters.
            verification_limits.forget(connection, now - 2 * REMEMBERED)
            mails.forget(connection, now - MAILS_REMEMBERED)
        self._forget_links(now - LINKS_REMEMBERED)

    def _forget_links(self, ended_before: Milliseconds) -> None:
        """Delete links a few at a time: those of a large campaign end together, and others want to write."""
        forgotten = LINKS_A_TRANSACTION
        while forgotten == LINKS_A_TRANSACTION:
            with self._store.writing() as connection:
                forgotten = links.forget(connection, ended_before, LINKS_A_TRANSACTION)
