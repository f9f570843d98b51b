"""Sends the e-mails that wait: in batches over one connection, again after a while when no server takes them."""

import asyncio
from collections.abc import Sequence

import structlog

from messaging_service.clock import HOUR, MINUTE, Clock, Milliseconds
from messaging_service.mail.server import MailServer
from messaging_service.running.waking import Waker
from messaging_service.store import mails
from messaging_service.store.engine import Store

BATCH = 20
LEASE: Milliseconds = 15 * MINUTE
"""How long a worker has for a batch: twenty mails that each take as long as they may."""
PAUSES: tuple[Milliseconds, ...] = (MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 12 * HOUR, 24 * HOUR)
"""After which attempt how long is waited; after the last one comes no other."""
_POLL_SECONDS = 1.0

log = structlog.get_logger(__name__)


class Mailer:
    """Sends e-mails through one server. One that dies after sending and before recording it sends again."""

    def __init__(self, store: Store, clock: Clock, server: MailServer) -> None:
        self._store = store
        self._clock = clock
        self._server = server
        self.waker = Waker()

    async def run(self) -> None:
        """Send until cancelled."""
        while True:
            self.waker.begin()
            while await asyncio.to_thread(self.turn):
                pass
            await self.waker.sleep(_POLL_SECONDS)

    def turn(self) -> int:
        """Send the next e-mails that are due. Returns how many there were."""
        now = self._clock.now()
        with self._store.reading() as connection:
            if not mails.any_due(connection, now):
                return 0
        with self._store.writing() as connection:
            claimed = mails.claim(connection, now, now + LEASE, BATCH)
        if claimed:
            self._record(claimed, self._server.send(claimed))
        return len(claimed)

    def _record(self, claimed: Sequence[mails.DueMail], errors: Sequence[str | None]) -> None:
        now = self._clock.now()
        outcomes = list(zip(claimed, errors, strict=True))
        failed = [mails.Failed(mail.id, error, _due_again(mail, now)) for mail, error in outcomes if error is not None]
        with self._store.writing() as connection:
            mails.remove(connection, [mail.id for mail, error in outcomes if error is None])
            mails.postpone(connection, failed)
        for each in failed:
            log.warning("mail.given-up" if each.due_at is None else "mail.failed", mail=each.id, error=each.error)


def _due_again(mail: mails.DueMail, now: Milliseconds) -> Milliseconds | None:
    return None if mail.attempt > len(PAUSES) else now + PAUSES[mail.attempt - 1]
