"""The worker of phase 2: decides a batch, hands it over while it decides the next, sleeps until something is due."""

import asyncio
from collections.abc import Sequence

from messaging_service.accept.filing import Filer
from messaging_service.clock import Clock, Milliseconds
from messaging_service.message import Message
from messaging_service.process.hand_over import HandOver
from messaging_service.process.phase_two import Batch, PhaseTwo
from messaging_service.store import messages
from messaging_service.store.engine import Store
from messaging_service.waking import Waker

BATCH = 500
BATCHES_UNDER_WAY = 4
PACE = 0.01
"""Seconds between two turns that find less than a batch: a message alone doesn't wait, and many share a turn."""
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
        under_way = asyncio.Semaphore(BATCHES_UNDER_WAY)  # of this run: one that failed may not have given all back
        now = asyncio.get_running_loop().time
        async with asyncio.TaskGroup() as hand_overs:
            while True:
                began = now()
                self.waker.begin()
                await under_way.acquire()
                batch, rest = await self._turn()
                hand_overs.create_task(self._submit(batch.outgoing, under_way))
                await self.waker.sleep(rest)
                if rest:
                    await asyncio.sleep(began + PACE - now())

    async def _turn(self) -> tuple[Batch, float]:
        while True:
            try:
                return await asyncio.to_thread(self._file_and_decide)
            except messages.MovedMeanwhile:  # cancelled between reading and writing: look again
                continue

    def _file_and_decide(self) -> tuple[Batch, float]:
        """Return what a turn did, and for how many seconds there is nothing more to do."""
        filed = self._filer.file()
        batch = self._phase_two.turn(BATCH)
        return batch, 0.0 if filed + batch.claimed >= BATCH else self._seconds_to_next()

    async def _submit(self, outgoing: Sequence[Message], under_way: asyncio.Semaphore) -> None:
        try:
            await self._hand_over.submit(outgoing)
        finally:
            under_way.release()

    def _seconds_to_next(self) -> float:
        with self._store.reading() as connection:
            next_due: Milliseconds | None = messages.next_due(connection)
        if next_due is None:
            return _POLL_SECONDS
        return min((next_due - self._clock.now()) / 1000, _POLL_SECONDS)
