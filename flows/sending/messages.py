"""From a batch of the ledger to message objects, the same each time the batch is sent (specification, 2.1)."""

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from flows.ledger import Batch, CampaignSettings, PlannedMessage
from interface.message import MessageRequest, Recipient


def message_requests(batch: Batch, settings: CampaignSettings) -> Iterator[MessageRequest]:
    """Write the message objects of a batch one by one, tagged so that the batch can be looked up.

    What objects share is checked once: their texts were checked when they were planned.
    """
    shared = {
        "sender": settings.sender,
        "tag": batch.tag,
        "callback": settings.callback,
        "datetime": settings.datetime,
        "flow": settings.flow,
    }
    for window, messages in groupby(batch.messages, key=lambda message: message.delivery_time):
        window_or_common = settings.delivery_time if window is None else window
        yield from _requests(messages, {**shared, "delivery_time": window_or_common})


def _requests(messages: Iterator[PlannedMessage], shared: Mapping[str, Any]) -> Iterator[MessageRequest]:
    first = next(messages)
    given = {name: value for name, value in shared.items() if value is not None}
    checked = MessageRequest.model_validate({**given, "to": _to(first), "body": first.body})
    yield checked
    for message in messages:
        yield checked.model_copy(update={"to": _to(message), "body": message.body})


def _to(message: PlannedMessage) -> list[Recipient]:
    return [Recipient(phone_number=recipient.phone_number) for recipient in message.recipients]
