"""From a batch of the ledger to a call: message objects, the same each time the batch is sent (specification, 2.1)."""

from typing import Any

from flows.ledger import Batch, CampaignSettings, PlannedMessage
from interface.message import MessageRequest


def message_requests(batch: Batch, settings: CampaignSettings) -> list[MessageRequest]:
    """Write the body of a batch's call, tagged so that the batch can be looked up."""
    shared: dict[str, Any] = {
        "sender": settings.sender,
        "tag": batch.tag,
        "callback": settings.callback,
        "datetime": settings.datetime,
        "delivery_time": settings.delivery_time,
        "flow": settings.flow,
    }
    return [
        MessageRequest.model_validate(
            {
                "to": [{"phone_number": recipient.phone_number} for recipient in message.recipients],
                "body": message.body,
                **{name: value for name, value in _of(message, shared).items() if value is not None},
            }
        )
        for message in batch.messages
    ]


def _of(message: PlannedMessage, shared: dict[str, Any]) -> dict[str, Any]:
    return shared if message.delivery_time is None else {**shared, "delivery_time": message.delivery_time}
