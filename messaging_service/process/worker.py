"""The worker of phase 2: decides a batch, hands it over while it decides the next, sleeps until something is due.

A batch has messages of one queue, and each queue has its own hand-overs: a large batch neither takes a priority message
along nor keeps it waiting for a place.
"""

import asyncio
from collections.abc import Mapping, Sequence

from messaging_service.accept.filing import Filer
from messaging_service.clock import Clock
from messaging_service.message import Message
from messaging_service.process.hand_over import HandOver
from messaging_service.process.phase_two import Batch, PhaseTwo
from messaging_service.running.waking import Waker
from messaging_service.store import messages
from messaging_service.store.engine import Store
from messaging_service.store.journal import QUEUES

BATCH = 500
BATCHES_UNDER_WAY = 4
"""How many batches of each queue are handed over at a time."""
PACE = 0.01
"""Seconds between two rounds that find less than a batch: a message alone doesn't wait, and many share a turn."""
_POLL_SECONDS = 0.25


class Worker:
    """Runs phase 2 over one store."""

    def __init__(self, store: Store, clock: Clock, filer: Filer, phase_two: PhaseTwo, hand_over: HandOver) -> None:
        self._store = store
        self._clock = clock
        self._filer = filer
        self._phase_two = phase_two
        self._hand_over = hand_over
        self.waker = Waker()

    async def run(self) -> None:
        """Process until cancelled."""
        places = {queue: asyncio.Semaphore(BATCHES_UNDER_WAY) for queue in QUEUES}  # a run that failed may keep some
        now = asyncio.get_running_loop().time
        async with asyncio.TaskGroup() as hand_overs:
            while True:
                began = now()
                self.waker.begin()
                found, rest = await self._round(places, hand_overs)
                if not found:
                    await self.waker.sleep(rest)
                if found < BATCH:
                    await asyncio.sleep(began + PACE - now())

    async def _round(self, places: Mapping[int, asyncio.Semaphore], hand_overs: asyncio.TaskGroup) -> tuple[int, float]:
        """Give a turn to each queue that has a place. Returns how much there was, and the seconds until more is due."""
        found, due_in = await asyncio.to_thread(self._look)
        open_in = {queue: seconds for queue, seconds in due_in.items() if not places[queue].locked()}
        for queue in [queue for queue, seconds in open_in.items() if seconds <= 0]:
            await places[queue].acquire()
            batch = await self._turn(queue)
            hand_overs.create_task(self._submit(batch.outgoing, places[queue]))
            found += batch.claimed
        return found, min(open_in.values(), default=_POLL_SECONDS)

    def _look(self) -> tuple[int, dict[int, float]]:
        """File what was accepted. Returns how many calls, and in how many seconds each queue has something due."""
        filed = self._filer.file()
        with self._store.reading() as connection:
            next_due = messages.next_due(connection)
        now = self._clock.now()
        return filed, {queue: min((moment - now) / 1000, _POLL_SECONDS) for queue, moment in next_due.items()}

    async def _turn(self, queue: int) -> Batch:
        while True:
            try:
                return await asyncio.to_thread(self._phase_two.turn, BATCH, [queue])
            except messages.MovedMeanwhile:  # cancelled between reading and writing: look again
                continue

    async def _submit(self, outgoing: Sequence[Message], place: asyncio.Semaphore) -> None:
        try:
            await self._hand_over.submit(outgoing)
        finally:
            place.release()
            self.waker.wake()
