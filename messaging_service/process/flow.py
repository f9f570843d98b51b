"""How a message goes through its flow: when the time of a step ends, and what it leaves behind (details, "flow"). Pure.

The law, whatever the order of receipts, ends of time and crashes:

- A message is on one step. The pair of step and result only grows: on a step by the table of transitions, and from any
  result but one that meets the step's condition to ``accepted`` on the next step.
- What is told about a step that was left (an answer, a receipt, the end of its time) changes nothing. Every write
  requires the row to be on the step and in the state where its move starts.
- A step is charged once, when it starts sending. It is refunded at most once, in the move that ends it, and only if the
  operator never had the message.
- The last step has no end of time: its result stands.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import orjson

from interface.flow_steps import TtlCondition
from interface.results import Result
from messaging_service.clock import MINUTE, Milliseconds
from messaging_service.message import Message
from messaging_service.process.steps import has_next_step, step_of

_BILL = ("mcc", "mnc", "parts", "price_czk", "price_eur", "charged")
_NOTHING: Mapping[str, Any] = MappingProxyType({"parts": 0, "price_czk": 0, "price_eur": 0, "charged": 0})
_MEETING = {
    TtlCondition.SENT: frozenset({Result.SENT, Result.DELIVERED, Result.SEEN}),
    TtlCondition.DELIVERED: frozenset({Result.DELIVERED, Result.SEEN}),
    TtlCondition.SEEN: frozenset({Result.SEEN}),
}
"""The results that meet a condition: a later one stands for those before it."""


def end_of_step(message: Message, now: Milliseconds) -> Milliseconds | None:
    """Return when the time of a step that starts sending now ends, None where nothing would follow."""
    if message.content.flow is None or not has_next_step(message):
        return None
    ttl = step_of(message).ttl
    return None if ttl is None else now + round(ttl * MINUTE)


def waits_until(message: Message, result: Result) -> Milliseconds | None:
    """Return when a message with this result is looked at again for the time of its step, None for never."""
    if message.expires_at is None or result in _MEETING[step_of(message).ttl_condition]:
        return None
    return message.expires_at


def is_out_of_time(message: Message, now: Milliseconds) -> bool:
    """Whether the time of a step that has started is over and its condition isn't met."""
    ends = waits_until(message, message.state)
    return ends is not None and ends <= now


def leave(message: Message, now: Milliseconds) -> Message:
    """Leave a step whose time is over. It stays paid, unless the operator never had it (it only ever throttled)."""
    never_left = message.state is Result.SENDING and not message.in_doubt
    return _on_next_step(refunded(message) if never_left else message, now)


def fail(message: Message, code: int, reason: str, now: Milliseconds) -> Message:
    """Fail a step that can't even start: go on with the next one, or stay failed."""
    return end(message._replace(state=Result.FAILED, code=code, reason=reason), now)


def end(message: Message, now: Milliseconds) -> Message:
    """End a step with the result that the message has: go on with the next one, or keep the result for good."""
    ended = message._replace(due_at=None, in_doubt=False, ts_updated=now)
    return _on_next_step(ended, now) if has_next_step(ended) else ended


def refunded(message: Message) -> Message:
    """Give back what was charged for a step that never left; the steps before it stay paid."""
    return message._replace(**bill_before(message))


def bill_before(message: Message) -> Mapping[str, Any]:
    """Return what stood on the bill when the message came to its step: what the steps before it cost together."""
    if message.flow_history is None:
        return _NOTHING
    bill: Mapping[str, Any] = orjson.loads(message.flow_history)[-1]["bill"]
    return bill


def _on_next_step(message: Message, now: Milliseconds) -> Message:
    """Go on: the next step is processed like a message that has just been accepted."""
    left = orjson.loads(message.flow_history or "[]")
    bill = {name: getattr(message, name) for name in _BILL}
    left.append({"state": message.state.value, "code": message.code, "bill": bill})
    return message._replace(
        state=Result.ACCEPTED,
        code=None,
        reason=None,
        flow_index=message.flow_index + 1,
        expires_at=None,
        short_text=None,
        flow_history=orjson.dumps(left).decode(),
        in_doubt=False,
        due_at=now,
        ts_updated=now,
    )
