"""The notifier's side of the store: one transaction records what has ended and claims what starts next."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import TypeVar

import structlog
from sqlalchemy import Connection

from messaging_service.clock import Clock, Milliseconds
from messaging_service.notify.delivery import Delivery, Finished, Postponed
from messaging_service.notify.retries import Rules, retry_delay
from messaging_service.store import callbacks
from messaging_service.store.engine import Store

Answer = TypeVar("Answer")

_log = structlog.get_logger(__name__)


class Books:
    """Keeps the outbox, in a thread of its own. Its methods raise what SQLAlchemy raises."""

    def __init__(self, store: Store, clock: Clock, rules: Rules, random: Random) -> None:
        self._store = store
        self._clock = clock
        self._rules = rules
        self._random = random
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="callbacks")

    async def look(self) -> Mapping[str, Milliseconds]:
        """Return the receivers that something waits for, each with the moment at which its first delivery is due."""
        return await self._in_thread(self._look)

    async def turn(self, finished: Sequence[Finished], room: Mapping[str, int]) -> Sequence[Delivery]:
        """Record what has ended and claim at most ``room`` deliveries for each receiver."""
        return await self._in_thread(lambda: self._turn(finished, room))

    async def close(self, finished: Sequence[Finished], interrupted: Sequence[Delivery]) -> None:
        """Record what has ended, give back what was cut short."""
        await self._in_thread(lambda: self._close(finished, interrupted))

    async def _in_thread(self, work: Callable[[], Answer]) -> Answer:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _look(self) -> Mapping[str, Milliseconds]:
        with self._store.reading() as connection:
            return callbacks.earliest_of_each(connection)

    def _turn(self, finished: Sequence[Finished], room: Mapping[str, int]) -> Sequence[Delivery]:
        postponed = self._postponed(finished)
        with self._store.writing() as connection:
            _record(connection, finished, postponed)
            now = self._clock.now()
            claimed = callbacks.claim(connection, room, now, now + self._rules.lease)
        _tell(postponed)
        return claimed

    def _close(self, finished: Sequence[Finished], interrupted: Sequence[Delivery]) -> None:
        if not finished and not interrupted:
            return
        postponed = self._postponed(finished)
        with self._store.writing() as connection:
            _record(connection, finished, postponed)
            callbacks.release(connection, interrupted, self._clock.now())
        _tell(postponed)

    def _postponed(self, finished: Iterable[Finished]) -> list[Postponed]:
        return [self._postpone(each.delivery, each.error) for each in finished if each.error is not None]

    def _postpone(self, delivery: Delivery, error: str) -> Postponed:
        if delivery.attempt >= self._rules.attempts:
            return Postponed(delivery, error, None)
        return Postponed(delivery, error, self._clock.now() + retry_delay(delivery.attempt, self._random))


def _record(connection: Connection, finished: Sequence[Finished], postponed: Sequence[Postponed]) -> None:
    callbacks.remove(connection, [each.delivery for each in finished if each.error is None])
    callbacks.postpone(connection, postponed)


def _tell(postponed: Sequence[Postponed]) -> None:
    for each in postponed:
        _log.warning(
            "notify.given-up" if each.due_at is None else "notify.failed",
            delivery_id=each.delivery.delivery_id,
            receiver=each.delivery.receiver,
            attempt=each.delivery.attempt,
            error=each.error,
        )
