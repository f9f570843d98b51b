"""What became of the messages: one call of statistics a round, and pages of rows where these say there is news."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from functools import lru_cache

from flows import ledger
from flows.advice import calling
from flows.ledger import Delivery, FollowedBatch, Ledger, Way
from flows.provider import Provider
from flows.rollups.counters import Counters, by_tags, counters, networks
from flows.sending.look_up import digits, utc_dates
from interface.errors import NotFound
from interface.responses import DateStatistics, MessageRow, MessageStatus
from interface.results import FINAL, Result, result_info

STATUS_CALLS_A_ROUND = 200
"""How many messages are asked for one by one in each round, over all batches; the others wait for the next."""
STATUS_CALLS = 2_000
"""How many are asked for one by one in all. The reasons of further rejections are not asked for."""
REASON_NOT_ASKED_FOR = "Rejected; the reason was not asked for"
FILE_MAY_TAKE_SECONDS = 2 * 24 * 3600
"""How long after an upload its lines may be read: a message's date is that of its line."""

BEFORE_THE_END = (Result.ACCEPTED, Result.SENDING, Result.SENT)
UNDELIVERED = "203"
WAITING_OR_HANDED_OVER = frozenset({None, "100", "200"})
MILLION = 1_000_000


@dataclass
class Follower:
    """Looks at what waits for a result, round by round.

    Rows are read of batches that are through, or of which nothing is heard any more; of the others the statistics are
    enough. A row has counters only (section 2.5): nothing counted may mean waiting or rejected. Such a message is asked
    for by its id once the statistics say that it is at its end, or when it is seen so for the second time.
    """

    provider: Provider
    ledger: Ledger
    calls_in_flight: int = 8
    heard: dict[str, Counters] = field(default_factory=dict)
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
        news = {batch_id: counted for batch_id, counted in told.items() if counted}
        await asyncio.to_thread(ledger.record_networks, self.ledger, news)

    async def read_all(self, batches: Sequence[FollowedBatch], told: Mapping[str, Counters]) -> int:
        """Read the rows of these batches, several at a time; return how many results are new."""
        self.status_calls_this_round = STATUS_CALLS_A_ROUND
        waiting = iter(batches)

        async def one_after_another() -> int:
            return sum([await self._read(batch, told.get(batch.id, Counters())) for batch in waiting])

        try:
            async with asyncio.TaskGroup() as group:
                looks = [group.create_task(one_after_another()) for _ in range(self.calls_in_flight)]
        except ExceptionGroup as errors:
            # Whether the task is tried again depends on the kind of error: tell the first one itself.
            raise errors.exceptions[0] from errors
        return sum(look.result() for look in looks)

    async def _read(self, batch: FollowedBatch, told: Counters) -> int:
        current = await asyncio.to_thread(ledger.waiting_in, self.ledger, batch.id)
        news: dict[str, Delivery] = {}
        silent: list[tuple[str, MessageRow]] = []
        async for row in self._rows(batch):
            number = digits(row.phone_number)
            if number not in current:
                continue
            delivery = delivery_of(row)
            if delivery is None:
                silent.append((number, row))
            elif is_news(current[number], Result(delivery.result)):
                news[number] = delivery
        news |= await self._ask_for(batch, silent, told)
        self.read[batch.id] = told
        await asyncio.to_thread(ledger.record_deliveries, self.ledger, batch.id, news)
        return len(news)

    async def _rows(self, batch: FollowedBatch) -> AsyncIterator[MessageRow]:
        with calling("GET /messages"):
            for day in self._dates(batch):
                async for row in self.provider.client.messages(day, tag=batch.tag, subid=self.provider.subid):
                    yield row

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


def delivery_of(row: MessageRow) -> Delivery | None:
    """Read a row's counters; ``None`` when they don't say whether the message waits or was never sent."""
    if row.seen:
        result = Result.SEEN
    elif row.delivered:
        result = Result.DELIVERED
    elif row.sent:
        result = Result.UNDELIVERED if row.nondelivered else Result.SENT
    else:
        return None
    prices = _millionths(row.price_czk), _millionths(row.price_eur)
    return Delivery(result, None, row.message_parts, *prices, message_id=row.message_id)


def rejection_of(status: MessageStatus, message_id: str | None = None) -> Delivery | None:
    """Read why a message was never sent; ``None`` while it may still be."""
    code = status.status_code
    if code in WAITING_OR_HANDED_OVER:
        undelivered = Delivery(Result.UNDELIVERED, message_id=message_id)
        return undelivered if status.delivery_code == UNDELIVERED else None
    reason = result_info(int(code)) if code and code.isdigit() else status.status_info or code
    return Delivery(Result.REJECTED, reason, message_id=message_id)


def is_news(current: Result, new: Result) -> bool:
    """Whether ``new`` is further on than ``current``, which is not final; a lagging list may go backwards."""
    return new in FINAL or BEFORE_THE_END.index(new) > BEFORE_THE_END.index(current)


@lru_cache
def _millionths(price: str) -> int:
    return int(Decimal(price) * MILLION)
