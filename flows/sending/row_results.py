"""What a row of the message list, or the status of one message, says of it. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache

from flows.ledger import Delivery
from flows.sending.look_up import digits
from interface.responses import MessageRow, MessageStatus
from interface.results import FINAL, Result, result_info

BEFORE_THE_END = (Result.ACCEPTED, Result.SENDING, Result.SENT)
UNDELIVERED = "203"
WAITING_OR_HANDED_OVER = frozenset({None, "100", "200"})
MILLION = 1_000_000


@dataclass
class Rows:
    """What a batch's rows say of those who wait: results that are new, by phone number, and rows that say nothing."""

    waiting: Mapping[str, Result]
    news: dict[str, Delivery] = field(default_factory=dict)
    silent: list[tuple[str, MessageRow]] = field(default_factory=list)

    def add(self, row: MessageRow) -> None:
        """Take a row in, if it is of somebody who waits."""
        number = digits(row.phone_number)
        current = self.waiting.get(number)
        if current is None:
            return
        delivery = delivery_of(row)
        if delivery is None:
            self.silent.append((number, row))
        elif is_news(current, Result(delivery.result)):
            self.news[number] = delivery


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
