"""Group commit: the calls in flight share one transaction, so that each pays only a part of the disk's time."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import Generic, TypeVar

from sqlalchemy import Connection

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")

Begin = Callable[[], AbstractContextManager[Connection]]
Write = Callable[[Connection, Sequence[Item]], Sequence[Outcome]]


class GroupCommit(Generic[Item, Outcome]):
    """Gathers what calls want written while other transactions are on their way to disk, and writes it together.

    ``write`` runs in a thread, in a transaction that ``begin`` opens, and returns one outcome an item, in order.
    The items are taken when the transaction has begun: what arrives while it waits for its turn comes along.
    ``pace`` is how many seconds lie between the beginnings of two transactions at the least: a call that comes alone
    doesn't wait, and of many more share what a transaction costs.
    ``on_committed`` is called after each commit, in the event loop's thread.
    """

    def __init__(
        self,
        begin: Begin,
        write: Write[Item, Outcome],
        limit: int,
        on_committed: Callable[[], None],
        pace: float = 0.0,
    ) -> None:
        self._begin = begin
        self._pace = pace
        self._write = write
        self._on_committed = on_committed
        self._limit = limit
        self._waiting: deque[tuple[Item, asyncio.Future[Outcome]]] = deque()
        self._arrived = asyncio.Event()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="group-commit")

    async def write(self, item: Item) -> Outcome:
        """Return the outcome of ``item`` once it is durable. Raises what ``write`` raised for it."""
        written: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, written))
        self._arrived.set()
        return await written

    async def run(self) -> None:
        """Write until cancelled. What is being written then still is; who waits for more isn't answered."""
        now = asyncio.get_running_loop().time
        not_before = now()
        while True:
            if not self._waiting:
                self._arrived.clear()
                await self._arrived.wait()
            if now() < not_before:
                await asyncio.sleep(not_before - now())
            not_before = now() + self._pace
            await asyncio.shield(self._write_together(self._waiting))

    async def _write_together(self, waiting: deque[tuple[Item, asyncio.Future[Outcome]]]) -> None:
        batch: list[tuple[Item, asyncio.Future[Outcome]]] = []
        try:
            outcomes = await asyncio.get_running_loop().run_in_executor(self._thread, self._commit, waiting, batch)
        except Exception as problem:  # noqa: BLE001 - whatever it is belongs to the callers
            await self._write_apart(batch or _all_of(waiting), problem)
            return
        for (_, written), outcome in zip(batch, outcomes, strict=True):
            if not written.done():
                written.set_result(outcome)
        self._on_committed()

    def _commit(
        self,
        waiting: deque[tuple[Item, asyncio.Future[Outcome]]],
        batch: list[tuple[Item, asyncio.Future[Outcome]]],
    ) -> Sequence[Outcome]:
        with self._begin() as connection:
            batch += [waiting.popleft() for _ in range(min(len(waiting), self._limit))]
            return self._write(connection, [item for item, _ in batch])

    async def _write_apart(self, batch: list[tuple[Item, asyncio.Future[Outcome]]], problem: Exception) -> None:
        """Give each item a transaction of its own, so that one bad item doesn't take its neighbours with it."""
        if len(batch) > 1:
            for entry in batch:
                await self._write_together(deque([entry]))
        elif batch and not batch[0][1].done():
            batch[0][1].set_exception(problem)


def _all_of(waiting: deque[tuple[Item, asyncio.Future[Outcome]]]) -> list[tuple[Item, asyncio.Future[Outcome]]]:
    """Take everything from a queue whose transaction couldn't even begin."""
    return [waiting.popleft() for _ in range(len(waiting))]
