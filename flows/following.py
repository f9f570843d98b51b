"""What became of the messages: a page of rows a batch, and a status call only for those that show no sign of life."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from flows import ledger
from flows.ledger import Delivery, FollowedBatch, Ledger
from flows.look_up import digits, utc_dates
from flows.provider import Provider
from interface.responses import MessageRow, MessageStatus
from interface.results import FINAL, Result, result_info

STATUS_CALLS_A_ROUND = 200
"""How many messages are asked for one by one in each round, over all batches; the others wait for the next."""

BEFORE_THE_END = (Result.ACCEPTED, Result.SENDING, Result.SENT)
UNDELIVERED = "203"
WAITING_OR_HANDED_OVER = frozenset({None, "100", "200"})
MILLION = 1_000_000


@dataclass
class Follower:
    """Looks at what waits for a result, round by round.

    A row has counters only (section 2.5): nothing counted may mean waiting or rejected. Such a message is asked for by
    its id, but not in the first round that sees it so, for most are only waiting.
    """

    provider: Provider
    ledger: Ledger
    calls_in_flight: int = 8
    silent_before: set[str] = field(default_factory=set)
    status_calls_left: int = 0

    async def look(self, campaign_id: str) -> int:
        """Look at every batch with recipients without a final result; return how many results are new."""
        self.status_calls_left = STATUS_CALLS_A_ROUND
        batches = iter(await asyncio.to_thread(ledger.batches_to_follow, self.ledger, campaign_id))

        async def look_at_one_after_another() -> int:
            return sum([await self._look_at(batch) for batch in batches])

        try:
            async with asyncio.TaskGroup() as group:
                looks = [group.create_task(look_at_one_after_another()) for _ in range(self.calls_in_flight)]
        except ExceptionGroup as errors:
            # Whether the task is tried again depends on the kind of error: tell the first one itself.
            raise errors.exceptions[0] from errors
        return sum(look.result() for look in looks)

    async def _look_at(self, batch: FollowedBatch) -> int:
        rows = await self._rows(batch)
        news: dict[str, Delivery] = {}
        for number, row in rows.items():
            delivery = delivery_of(row) or await self._ask_for(number, row)
            if delivery is not None and is_news(batch.waiting[number], Result(delivery.result)):
                news[number] = delivery
        await asyncio.to_thread(ledger.record_deliveries, self.ledger, batch.id, news)
        return len(news)

    async def _rows(self, batch: FollowedBatch) -> Mapping[str, MessageRow]:
        rows: dict[str, MessageRow] = {}
        for day in utc_dates(batch.first_claimed_at, batch.answered_at):
            async for row in self.provider.client.messages(day, tag=batch.tag, subid=self.provider.subid):
                if (number := digits(row.phone_number)) in batch.waiting:
                    rows[number] = row
        return rows

    async def _ask_for(self, number: str, row: MessageRow) -> Delivery | None:
        if number not in self.silent_before:
            self.silent_before.add(number)
            return None
        if self.status_calls_left <= 0:
            return None
        self.status_calls_left -= 1
        status = await self.provider.client.message_status(row.message_id)
        return rejection_of(status) if status is not None else None


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
    return Delivery(result, None, row.message_parts, _millionths(row.price_czk), _millionths(row.price_eur))


def rejection_of(status: MessageStatus) -> Delivery | None:
    """Read why a message was never sent; ``None`` while it may still be."""
    code = status.status_code
    if code in WAITING_OR_HANDED_OVER:
        return Delivery(Result.UNDELIVERED) if status.delivery_code == UNDELIVERED else None
    reason = result_info(int(code)) if code and code.isdigit() else status.status_info or code
    return Delivery(Result.REJECTED, reason)


def is_news(current: Result, new: Result) -> bool:
    """Whether ``new`` is further on than ``current``, which is not final; a lagging list may go backwards."""
    return new in FINAL or BEFORE_THE_END.index(new) > BEFORE_THE_END.index(current)


def _millionths(price: str) -> int:
    return int(Decimal(price) * MILLION)
