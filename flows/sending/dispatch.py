"""Send batches, each exactly once: claim, call, record; learn what is in doubt before sending it again."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from flows import ledger
from flows.ledger import Batch, NothingTaken
from flows.sending.calls import Called, call
from flows.sending.doubts import clear_up
from flows.sending.groups import Group, grouped
from flows.sending.outbox import Outbox

GROUPS_AT_WORK = 2
"""While one group waits for the ledger, the calls of the other go on."""


async def send_batches(outbox: Outbox, batch_ids: Sequence[str]) -> None:
    """Bring these batches to an answer, whatever state they were left in.

    After the first error no other batch is begun; the calls in flight are let finish, so that their outcome is known,
    and then the error is raised.
    """
    groups = await _grouped(outbox, batch_ids)
    errors: list[Exception] = []
    await asyncio.gather(*(_Sender(outbox, errors).send_all(groups) for _ in range(GROUPS_AT_WORK)))
    if errors:
        raise errors[0]


async def _grouped(outbox: Outbox, batch_ids: Sequence[str]) -> Iterator[Group]:
    sizes = await asyncio.to_thread(ledger.sizes, outbox.ledger, batch_ids)
    return grouped(sizes, batch_ids, None if outbox.bucket is None else outbox.bucket.rate)


@dataclass(frozen=True)
class _Sender:
    """Sends groups one after another, until something goes wrong here or with those who share its ``errors``."""

    outbox: Outbox
    errors: list[Exception]

    async def send_all(self, groups: Iterator[Group]) -> None:
        for group in groups:
            with self._errors_kept():
                await self._send(group)
            if self.errors:
                return

    async def _send(self, group: Group) -> None:
        if self.outbox.bucket is not None:
            # Before the claim: after a long wait the window may be closed, and a claimed batch would be in doubt.
            await self.outbox.bucket.take(group.recipients)
        claimed = await asyncio.to_thread(ledger.claim_all, self.outbox.lease, group.batch_ids)
        left_open = await self._call_all(claimed)
        mine = {batch.id for batch in claimed}
        in_doubt = [*left_open, *(batch_id for batch_id in group.batch_ids if batch_id not in mine)]
        to_send = await asyncio.gather(*(self._clear_up(batch_id) for batch_id in in_doubt))
        again = [batch_id for batch_id in to_send if batch_id is not None]
        if again and not self.errors:
            await self.send_all(await _grouped(self.outbox, again))

    async def _call_all(self, claimed: Sequence[Batch]) -> list[str]:
        """Call for each batch and write down what came of it; return those whose answer left something open."""
        called: list[Called] = []
        try:
            await asyncio.gather(*(self._call(batch, called) for batch in claimed))
        finally:
            outcomes = [(one.batch, one.outcome) for one in called]
            left_open = await asyncio.to_thread(ledger.record, self.outbox.ledger, outcomes)
        return left_open

    async def _call(self, batch: Batch, called: list[Called]) -> None:
        with self._errors_kept():
            async with self.outbox.in_flight:
                one = await self._called(batch)
            called.append(one)
            if one.error is not None:
                raise one.error

    async def _called(self, batch: Batch) -> Called:
        if self.errors:
            return Called(batch, NothingTaken())
        return await call(self.outbox, batch)

    async def _clear_up(self, batch_id: str) -> str | None:
        with self._errors_kept():
            return None if self.errors else await clear_up(self.outbox, batch_id)
        return None

    @contextmanager
    def _errors_kept(self) -> Iterator[None]:
        """Keep an error for when the others have finished."""
        try:
            yield
        except Exception as error:  # noqa: BLE001
            self.errors.append(error)
