"""The loop that reads uploads when they are due, beside everything else that the worker does."""

import asyncio
import time
from collections.abc import Callable

import structlog

from interface.bulk import BulkState
from messaging_service.bulk.folder import LEFT_BEHIND_AFTER, Folder
from messaging_service.bulk.reading import LEASE, ReadElsewhere, Reader, Step
from messaging_service.clock import DAY, MINUTE, Clock, Milliseconds
from messaging_service.running.waking import Waker
from messaging_service.store import bulk
from messaging_service.store.bulk import Upload
from messaging_service.store.engine import Store

BATCHES_A_TURN = 20
"""How many batches of one file are read before the next file has a turn."""
REST = 0.25
"""After each batch the loop rests for this part of the time that it took: others have the worker to themselves."""
FILE_SOUGHT_FOR: Milliseconds = DAY
"""How long a file that isn't in the folder is looked for before its upload is given up."""
_POLL_SECONDS = 1.0
_GATHER_SECONDS = 0.05
"""Whoever accepts a message wakes this loop, too: so often at the most it looks whether there is a file."""

log = structlog.get_logger(__name__)


class BulkProcessor:
    """Reads the uploads of a store. ``on_accepted`` is called after each batch, to wake the worker of phase 2."""

    def __init__(self, store: Store, clock: Clock, folder: Folder, on_accepted: Callable[[], None]) -> None:
        self._store = store
        self._clock = clock
        self._folder = folder
        self._reader = Reader(store, clock, folder)
        self._on_accepted = on_accepted
        self._tidied_at: Milliseconds = 0
        self.waker = Waker()

    async def run(self) -> None:
        """Read uploads as they fall due, until cancelled."""
        if self._store.is_sqlite:
            await asyncio.to_thread(self._take_over)
        while True:
            self.waker.begin()
            if self._clock.now() >= self._tidied_at + LEFT_BEHIND_AFTER:
                await asyncio.to_thread(self._tidy)
            if not await self.turn():
                await self.waker.sleep(await asyncio.to_thread(self._seconds_to_next))
                await asyncio.sleep(_GATHER_SECONDS)

    async def turn(self) -> bool:
        """Read on in the file that has waited longest. Returns whether there was one."""
        upload = await asyncio.to_thread(self._claim)
        if upload is not None:
            await self._read(upload)
        return upload is not None

    async def _read(self, upload: Upload) -> None:
        key = await asyncio.to_thread(self._reader.key_of, upload)
        step = Step(upload, is_done=False)
        for batches_left in reversed(range(BATCHES_A_TURN)):
            began = time.monotonic()
            try:
                step = await asyncio.to_thread(self._reader.read_on, step.upload, key, keep_claim=batches_left > 0)
            except ReadElsewhere:
                return
            except FileNotFoundError:
                await asyncio.to_thread(self._miss, upload)
                return
            self._on_accepted()
            if step.is_done:
                ended = step.upload
                log.info("bulk.done", request_id=ended.request_id, accepted=ended.accepted, rejected=ended.rejected)
                return
            await asyncio.sleep(REST * (time.monotonic() - began))

    def _claim(self) -> Upload | None:
        now = self._clock.now()
        with self._store.reading() as connection:
            next_due = bulk.next_due(connection)
        if next_due is None or next_due > now:
            return None
        with self._store.writing() as connection:
            return bulk.claim(connection, now, now + LEASE)

    def _miss(self, upload: Upload) -> None:
        """Look again in a minute: the folder may not be there yet. After a day the upload is given up."""
        now = self._clock.now()
        is_lost = now >= upload.received_at + FILE_SOUGHT_FOR
        log.error("bulk.file-missing", request_id=upload.request_id, file=upload.file, given_up=is_lost)
        ending = {"state": BulkState.FAILED, "due_at": None, "finished_at": now}
        with self._store.writing() as connection:
            bulk.advance(connection, upload, ending if is_lost else {"due_at": now + MINUTE})

    def _take_over(self) -> None:
        """Go on at once with what the worker before was reading: a SQLite store has one worker."""
        with self._store.writing() as connection:
            bulk.release(connection, self._clock.now())

    def _tidy(self) -> None:
        with self._store.reading() as connection:
            needed = set(bulk.needed(connection))
        self._tidied_at = self._clock.now()
        self._folder.tidy(needed, self._tidied_at)

    def _seconds_to_next(self) -> float:
        with self._store.reading() as connection:
            next_due = bulk.next_due(connection)
        return _POLL_SECONDS if next_due is None else min((next_due - self._clock.now()) / 1000, _POLL_SECONDS)
