"""Group commit: the calls in flight share one transaction, so that each pays only a part of the disk's time."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")


class GroupCommit(Generic[Item, Outcome]):
    """Gathers what calls want written while the transaction before is on its way to disk, and writes it together.

    ``commit`` runs in a thread; it writes the items in one transaction and returns one outcome an item, in order.
    ``on_committed`` is called after each commit, in the event loop's thread.
    """

    def __init__(
        self,
        commit: Callable[[Sequence[Item]], Sequence[Outcome]],
        limit: int,
        on_committed: Callable[[], None],
    ) -> None:
        self._commit = commit
        self._on_committed = on_committed
        self._limit = limit
        self._waiting: list[tuple[Item, asyncio.Future[Outcome]]] = []
        self._arrived = asyncio.Event()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="group-commit")

    async def write(self, item: Item) -> Outcome:
        """Return the outcome of ``item`` once it is durable. Raises what ``commit`` raised for it."""
        written: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._waiting.append((item, written))
        self._arrived.set()
        return await written

    async def run(self) -> None:
        """Write until cancelled. What is being written then still is; who waits for more isn't answered."""
        while True:
            if not self._waiting:
                self._arrived.clear()
                await self._arrived.wait()
            batch, self._waiting = self._waiting[: self._limit], self._waiting[self._limit :]
            await asyncio.shield(self._write_together(batch))

    async def _write_together(self, batch: list[tuple[Item, asyncio.Future[Outcome]]]) -> None:
        try:
            outcomes = await self._in_thread([item for item, _ in batch])
        except Exception as problem:  # noqa: BLE001 - whatever it is belongs to the callers
            await self._write_apart(batch, problem)
            return
        for (_, written), outcome in zip(batch, outcomes, strict=True):
            if not written.done():
                written.set_result(outcome)
        self._on_committed()

    async def _write_apart(self, batch: list[tuple[Item, asyncio.Future[Outcome]]], problem: Exception) -> None:
        """Give each item a transaction of its own, so that one bad item doesn't take its neighbours with it."""
        if len(batch) == 1:
            _, written = batch[0]
            if not written.done():
                written.set_exception(problem)
            return
        for entry in batch:
            await self._write_together([entry])

    async def _in_thread(self, items: Sequence[Item]) -> Sequence[Outcome]:
        return await asyncio.get_running_loop().run_in_executor(self._thread, self._commit, items)
