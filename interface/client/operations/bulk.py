"""Files of messages, and messages that wait (specification 4.3)."""

from collections.abc import Sequence

from interface import calls
from interface.bulk import (
    MESSAGES_TO_CHECK,
    BulkCancel,
    BulkQuery,
    BulkStatus,
    BulkUpload,
    Cancelled,
    Checked,
)
from interface.client.operations.operation import Operation, Sent, operation, whole
from interface.message import MessageRequest


def bulk_url(upload: BulkUpload) -> Operation[str]:
    """Return the address to which the file of an upload is PUT, once and within 60 seconds (4.2)."""
    return operation(calls.BULK_URL, Sent(body=upload), lambda answer: answer.url)


def bulk_cancel(*, bulk_id: str | None = None, message_id: str | None = None) -> Operation[Cancelled]:
    """Cancel a scheduled upload or message, exactly one of them; `Conflict` when it is too late (details, "bulk")."""
    return operation(calls.BULK_CANCEL, Sent(body=BulkCancel(bulk_id=bulk_id, message_id=message_id)), whole)


def bulk_validate(messages: MessageRequest | Sequence[MessageRequest]) -> Operation[Checked]:
    """Check one message, or 1 to 10, without sending: how many recipients would be accepted, and what is wrong."""
    body = MESSAGES_TO_CHECK.validate_python(messages if isinstance(messages, MessageRequest) else list(messages))
    return operation(calls.BULK_VALIDATE, Sent(body=body), lambda answer: answer.validate_)


def bulk_status(bulk_id: str) -> Operation[BulkStatus | None]:
    """Return how far an upload of this key is, None when there is none; Dovecote's own call."""
    return operation(calls.BULK_STATUS, Sent(query=BulkQuery(bulk_id=bulk_id)), lambda answer: answer.bulk)
