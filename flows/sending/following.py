"""What became of the messages: one call of statistics a round, and pages of rows where these say there is news."""

import asyncio
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, TypeVar

from flows import ledger
from flows.advice import calling
from flows.ledger import Delivery, FollowedBatch, Ledger, Way
from flows.provider import Provider
from flows.rollups.counters import Counters, by_tags, counters, networks
from flows.sending.groups import grouped
from flows.sending.look_up import utc_dates
from flows.sending.row_results import Rows, rejection_of
from interface.errors import NotFound
from interface.responses import DateStatistics, MessageRow
from interface.results import Result

STATUS_CALLS_A_ROUND = 200
"""How many messages are asked for one by one in each round, over all batches; the others wait for the next."""
STATUS_CALLS = 2_000
"""How many are asked for one by one in all. The reasons of further rejections are not asked for."""
REASON_NOT_ASKED_FOR = "Rejected; the reason was not asked for"
GROUPS_AT_WORK = 2
"""While one group waits for the ledger, the calls of the other go on."""
CALLS_IN_FLIGHT = 8
FILE_MAY_TAKE_SECONDS = 2 * 24 * 3600
"""How long after an upload its lines may be read: a message's date is that of its line."""


Found = TypeVar("Found")


@dataclass
class Follower:
    """Looks at what waits for a result, round by round.

    Rows are read of batches that are through, or of which nothing is heard any more; of the others the statistics are
    enough. A row has counters only (section 2.5): nothing counted may mean waiting or rejected. Such a message is asked
    for by its id once the statistics say that it is at its end, or when it is seen so for the second time.
    """

    provider: Provider
    ledger: Ledger
    in_flight: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(CALLS_IN_FLIGHT))
    heard: dict[str, Counters] = field(default_factory=dict)
    networks: dict[str, Mapping[str, int]] = field(default_factory=dict)
    read: dict[str, Counters] = field(default_factory=dict)
    silent_before: set[str] = field(default_factory=set)
    status_calls_left: int = STATUS_CALLS
    status_calls_this_round: int = 0

    async def look(self, campaign_id: str) -> int:
        """Look what is new; return how many batches had news."""
        batches = await asyncio.to_thread(ledger.batches_to_follow, self.ledger, campaign_id)
        told = await self._statistics(batches)
        if told is None:
            return await self.read_all(batches, {})
        moved = [one for one in batches if told[one.id] != self.heard.get(one.id, Counters())]
        to_read = [one for one in batches if self._is_to_be_read(one, told[one.id])]
        self.heard = told
        return max(len(moved), await self.read_all(to_read, told))

    async def look_at_all(self, campaign_id: str) -> None:
        """Read the rows of everything that waits, for the report."""
        batches = await asyncio.to_thread(ledger.batches_to_follow, self.ledger, campaign_id)
        await self.read_all(batches, self.heard)

    def _is_to_be_read(self, batch: FollowedBatch, told: Counters) -> bool:
        quiet = told == self.heard.get(batch.id)
        through = told.final >= batch.recipients
        return (through or quiet) and (self.read.get(batch.id) != told or self._has_silent(batch))

    def _has_silent(self, batch: FollowedBatch) -> bool:
        # Some were seen without a sign of life, or there were more of them than a round asks for.
        return batch.id in self.silent_before

    async def _statistics(self, batches: Sequence[FollowedBatch]) -> dict[str, Counters] | None:
        """Ask for the counters of all batches; None when the provider has no statistics."""
        if not batches:
            return {}
        dates = sorted({day for one in batches for day in self._dates(one)})
        only = batches[0].tag if len(batches) == 1 else None
        try:
            with calling("GET /requests"):
                told = await self.provider.client.statistics(dates, tag=only, subid=self.provider.subid)
        except NotFound:
            return None
        lines = by_tags(told)
        await self._keep_networks(batches, lines)
        return {one.id: counters(lines.get(one.tag, ())) for one in batches}

    async def _keep_networks(
        self, batches: Sequence[FollowedBatch], lines: Mapping[str, Sequence[DateStatistics]]
    ) -> None:
        told = {one.id: networks(lines.get(one.tag, ())) for one in batches}
        news = {batch_id: counted for batch_id, counted in told.items() if counted != self.networks.get(batch_id, {})}
        await asyncio.to_thread(ledger.record_networks, self.ledger, news)
        self.networks |= news

    async def read_all(self, batches: Sequence[FollowedBatch], told: Mapping[str, Counters]) -> int:
        """Read the rows of these batches, several at a time; return how many results are new."""
        self.status_calls_this_round = STATUS_CALLS_A_ROUND
        by_id = {batch.id: batch for batch in batches}
        groups = grouped({batch.id: batch.recipients for batch in batches}, list(by_id))

        async def one_after_another() -> int:
            return sum([await self._read([by_id[each] for each in group.batch_ids], told) for group in groups])

        return sum(await _all_of(one_after_another() for _ in range(GROUPS_AT_WORK)))

    async def _read(self, group: Sequence[FollowedBatch], told: Mapping[str, Counters]) -> int:
        waiting = await asyncio.to_thread(ledger.waiting_in, self.ledger, [batch.id for batch in group])
        read = await _all_of(self._rows(batch, waiting[batch.id]) for batch in group)
        for batch, rows in zip(group, read, strict=True):
            counted = told.get(batch.id, Counters())
            rows.news.update(await self._ask_for(batch, rows.silent, counted))
            self.read[batch.id] = counted
        news = {batch.id: rows.news for batch, rows in zip(group, read, strict=True)}
        await asyncio.to_thread(ledger.record_deliveries, self.ledger, news)
        return sum(map(len, news.values()))

    async def _rows(self, batch: FollowedBatch, waiting: Mapping[str, Result]) -> Rows:
        rows = Rows(waiting)
        async with self.in_flight:
            with calling("GET /messages"):
                for day in self._dates(batch):
                    async for row in self.provider.client.messages(day, tag=batch.tag, subid=self.provider.subid):
                        rows.add(row)
        return rows

    def _dates(self, batch: FollowedBatch) -> Sequence[date]:
        last = batch.answered_at
        if batch.way is Way.BULK:
            last = min(self.ledger.now(), last + FILE_MAY_TAKE_SECONDS)
        return list(utc_dates(batch.first_claimed_at, last))

    async def _ask_for(
        self, batch: FollowedBatch, silent: Sequence[tuple[str, MessageRow]], told: Counters
    ) -> dict[str, Delivery]:
        """Ask for those of whom a row says nothing: why they were rejected, if they were."""
        at_their_end = told.sent + told.notsent >= batch.recipients
        if not silent or not (at_their_end or batch.id in self.silent_before):
            self.silent_before |= {batch.id} if silent else set()
            return {}
        news: dict[str, Delivery] = {}
        for number, row in silent:
            delivery = await self._rejection(row, at_their_end=at_their_end)
            if delivery is not None:
                news[number] = delivery
        if len(news) == len(silent):
            self.silent_before.discard(batch.id)
        else:
            self.silent_before.add(batch.id)
        return news

    async def _rejection(self, row: MessageRow, *, at_their_end: bool) -> Delivery | None:
        if self.status_calls_left <= 0:
            # Told by the statistics, but not why.
            return Delivery(Result.REJECTED, REASON_NOT_ASKED_FOR, message_id=row.message_id) if at_their_end else None
        if self.status_calls_this_round <= 0:
            return None
        self.status_calls_left -= 1
        self.status_calls_this_round -= 1
        with calling("GET /message"):
            status = await self.provider.client.message_status(row.message_id)
        return rejection_of(status, row.message_id) if status is not None else None


async def _all_of(work: Iterable[Coroutine[Any, Any, Found]]) -> list[Found]:
    """Do it side by side; raises the first error itself, whose kind tells whether the task is tried again."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one) for one in work]
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from errors
    return [task.result() for task in tasks]
