"""Sending (specification 4.1, 4.2, 4.5)."""

from collections.abc import Iterable, Sequence

from interface import calls
from interface.client.operations.operation import Operation, Sent, operation, whole
from interface.message import MESSAGES, MessageRequest
from interface.responses import (
    SendResponse,
    SimpleResponse,
)
from interface.simple import SimpleMessage
from interface.xml import XmlAccepted, XmlResult, XmlSubmission
from interface.xml_documents import XmlMessage, write_request


def send(message: MessageRequest, *, idempotency_key: str | None = None) -> Operation[SendResponse]:
    """Send one message to 1 to 10 recipients; 200 means accepted for processing (4.1)."""
    return operation(calls.SEND, Sent(body=message, idempotency_key=idempotency_key), whole)


def send_priority(message: MessageRequest, *, idempotency_key: str | None = None) -> Operation[SendResponse]:
    """Send one message through the priority queue, whatever its tag (details, "Queues")."""
    return operation(calls.SEND_PRIORITY, Sent(body=message, idempotency_key=idempotency_key), whole)


def send_many(messages: Sequence[MessageRequest], *, idempotency_key: str | None = None) -> Operation[SendResponse]:
    """Send 1 to 10 messages, each to 1 to 10 recipients (4.1); another number is a `pydantic.ValidationError`."""
    body = MESSAGES.validate_python(list(messages))
    return operation(calls.SEND_MANY, Sent(body=body, idempotency_key=idempotency_key), whole)


def send_simple(message: SimpleMessage, *, idempotency_key: str | None = None) -> Operation[SimpleResponse]:
    """Send one SMS to one recipient, as a form (2.3)."""
    return operation(calls.SEND_SIMPLE, Sent(body=message, idempotency_key=idempotency_key), whole)


def send_xml(messages: Iterable[XmlMessage], *, idempotency_key: str | None = None) -> Operation[list[XmlAccepted]]:
    """Send messages as one XML document, all or none (4.5); an error's ``code`` is the ``ID`` of its ``Response``.

    Recipient i of the result's numbers has the message id ``<RequestID>-<i>``; invalid numbers are left out.
    """
    body = XmlSubmission(XMLDATA=write_request(messages))
    return operation(calls.SEND_XML, Sent(body=body, idempotency_key=idempotency_key), _accepted)


def _accepted(result: XmlResult) -> list[XmlAccepted]:
    return [] if result.ResponseRequestList is None else result.ResponseRequestList.ResponseRequest
