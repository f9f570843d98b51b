"""From a batch of the ledger to message objects, the same each time the batch is sent (specification, 2.1)."""

from collections.abc import Iterator
from typing import Any

from flows.ledger import Batch, CampaignSettings, PlannedMessage
from interface.message import MessageRequest


def message_requests(batch: Batch, settings: CampaignSettings) -> Iterator[MessageRequest]:
    """Write the message objects of a batch one by one, tagged so that the batch can be looked up."""
    shared: dict[str, Any] = {
        "sender": settings.sender,
        "tag": batch.tag,
        "callback": settings.callback,
        "datetime": settings.datetime,
        "delivery_time": settings.delivery_time,
        "flow": settings.flow,
    }
    for message in batch.messages:
        yield _request(message, shared)


def _request(message: PlannedMessage, shared: dict[str, Any]) -> MessageRequest:
    own = shared if message.delivery_time is None else {**shared, "delivery_time": message.delivery_time}
    return MessageRequest.model_validate(
        {
            "to": [{"phone_number": recipient.phone_number} for recipient in message.recipients],
            "body": message.body,
            **{name: value for name, value in own.items() if value is not None},
        }
    )
