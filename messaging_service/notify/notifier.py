"""Step 7's engine: claims what is due, posts it, records what became of it, until cancelled."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from random import Random

import structlog
from sqlalchemy.exc import SQLAlchemyError

from messaging_service.clock import SECOND, Clock
from messaging_service.notify.books import Books
from messaging_service.notify.delivery import Delivery, Finished
from messaging_service.notify.post import NotDeliveredError, Poster
from messaging_service.notify.receivers import Limits, Receivers
from messaging_service.running.waking import Waker

POLL_S = 1.0
"""At most this long until rows of other processes are seen, in seconds."""
GATHER_S = 0.01
"""For how long news are gathered, so that one transaction records many, in seconds."""
GRACE_S = 1.0
"""How long a stop waits for attempts in flight, in seconds."""

_log = structlog.get_logger(__name__)


class Notifier:
    """Delivers what is in the outbox, at least once (details, "Notifications").

    Any number of processes may run one on PostgreSQL; the limits then hold for each. ``waker`` tells it of news.
    """

    def __init__(self, books: Books, clock: Clock, post: Poster, limits: Limits, random: Random) -> None:
        self.waker = Waker()
        self._books = books
        self._clock = clock
        self._post = post
        self._limits = limits
        self._random = random
        self._begin()

    def _begin(self) -> None:
        self._receivers = Receivers(self._limits, self._random)
        self._in_flight: dict[asyncio.Task[None], Delivery] = {}
        self._finished: list[Finished] = []
        self._claiming: asyncio.Future[Sequence[Delivery]] | None = None

    async def run(self) -> None:
        """Deliver until cancelled. What is in flight then gets a moment to end, and is otherwise given back."""
        self._begin()
        async with self._post:
            try:
                while True:
                    self.waker.begin()
                    await self.waker.sleep(await self._take_turn())
                    await asyncio.sleep(GATHER_S)
            finally:
                await self._stop()

    async def _take_turn(self) -> float:
        """Record what has ended, start what may start. Returns for how many seconds nothing new comes by itself."""
        try:
            due = await self._books.look()
            now = self._clock.now()
            room = self._receivers.shares(due, now)
            if room or self._finished:
                await self._claim(room)
        except SQLAlchemyError as problem:
            # What has ended stays noted for the next turn. Only the kind: the text of an error shows what was written.
            _log.warning("notify.store-unavailable", error=type(problem).__name__)
            return POLL_S
        start = self._receivers.next_start(due, now)
        return POLL_S if start is None else min(POLL_S, (start - now) / SECOND)

    async def _claim(self, room: Mapping[str, int]) -> None:
        finished, self._finished = self._finished, []
        self._claiming = asyncio.ensure_future(self._books.turn(finished, room))
        try:
            claimed = await asyncio.shield(self._claiming)
        except SQLAlchemyError:
            self._finished = [*finished, *self._finished]
            raise
        self._claiming = None
        for delivery in claimed:
            self._receivers.start(delivery.receiver)
            task = asyncio.create_task(self._attempt(delivery))
            self._in_flight[task] = delivery
            task.add_done_callback(self._in_flight.pop)

    async def _attempt(self, delivery: Delivery) -> None:
        error = await self._error(delivery)
        if error is None:
            self._receivers.succeed(delivery.receiver)
        else:
            self._receivers.fail(delivery.receiver, self._clock.now())
        self._finished.append(Finished(delivery, error))
        self.waker.wake()

    async def _error(self, delivery: Delivery) -> str | None:
        try:
            await self._post(delivery)
        except NotDeliveredError as problem:
            return str(problem)
        except Exception as problem:  # noqa: BLE001 - one bad delivery must not end the others
            return f"internal error ({type(problem).__name__})"
        return None

    async def _stop(self) -> None:
        unstarted: Sequence[Delivery] = ()
        if self._claiming is not None:
            with suppress(SQLAlchemyError):
                unstarted = await self._claiming
        tasks = dict(self._in_flight)
        if tasks:
            await asyncio.wait(tasks, timeout=GRACE_S)
        cut_short = [delivery for task, delivery in tasks.items() if task.cancel()]
        await asyncio.gather(*tasks, return_exceptions=True)
        with suppress(SQLAlchemyError):  # the leases end by themselves
            await self._books.close(self._finished, [*unstarted, *cut_short])
