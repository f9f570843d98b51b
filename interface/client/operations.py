"""The calls as a caller makes them: each definition serves both clients."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date as date_
from typing import Any, Generic, NamedTuple, TypeVar

from pydantic import BaseModel

from interface import calls
from interface.account import ApikeyMe, ApikeyUpdate, ListResponse, ListSubmission, Success
from interface.bulk import (
    MESSAGES_TO_CHECK,
    BulkCancel,
    BulkQuery,
    BulkStatus,
    BulkUpload,
    Cancelled,
    Checked,
)
from interface.calls import Call
from interface.inbox import InboundMessage, InboxQuery
from interface.message import MESSAGES, MessageRequest
from interface.queries import MessageQuery, MessagesQuery, RequestQuery, RequestsQuery
from interface.responses import (
    DateStatistics,
    MessagesResponse,
    MessageStatus,
    RequestCounters,
    SendResponse,
    SimpleResponse,
)
from interface.simple import SimpleMessage
from interface.verification import (
    CodeGiven,
    ProofChecked,
    ProofGiven,
    ProofToVerify,
    ProofVerdict,
    StartValidation,
    ValidationStarted,
    ValidationVerified,
)
from interface.xml import XmlAccepted, XmlResult, XmlSubmission
from interface.xml_documents import XmlMessage, write_request

Answer = TypeVar("Answer", bound=BaseModel)
Outcome = TypeVar("Outcome")


class Sent(NamedTuple):
    """What a call is sent besides the key."""

    body: object = None
    query: BaseModel | None = None
    idempotency_key: str | None = None
    path: Mapping[str, str] = {}


@dataclass(frozen=True, slots=True)
class Operation(Generic[Outcome]):
    """A call with what it is sent, and what its answer comes to for the caller."""

    call: Call[BaseModel]
    sent: Sent
    result: Callable[[Any], Outcome]


def _operation(call: Call[Answer], sent: Sent, result: Callable[[Answer], Outcome]) -> Operation[Outcome]:
    return Operation(call, sent, result)


def _whole(answer: Answer) -> Answer:
    return answer


def send(message: MessageRequest, *, idempotency_key: str | None = None) -> Operation[SendResponse]:
    """Send one message to 1 to 10 recipients; 200 means accepted for processing (4.1)."""
    return _operation(calls.SEND, Sent(body=message, idempotency_key=idempotency_key), _whole)


def send_priority(message: MessageRequest, *, idempotency_key: str | None = None) -> Operation[SendResponse]:
    """Send one message through the priority queue, whatever its tag (details, "Queues")."""
    return _operation(calls.SEND_PRIORITY, Sent(body=message, idempotency_key=idempotency_key), _whole)


def send_many(messages: Sequence[MessageRequest], *, idempotency_key: str | None = None) -> Operation[SendResponse]:
    """Send 1 to 10 messages, each to 1 to 10 recipients (4.1); another number is a `pydantic.ValidationError`."""
    body = MESSAGES.validate_python(list(messages))
    return _operation(calls.SEND_MANY, Sent(body=body, idempotency_key=idempotency_key), _whole)


def send_simple(message: SimpleMessage, *, idempotency_key: str | None = None) -> Operation[SimpleResponse]:
    """Send one SMS to one recipient, as a form (2.3)."""
    return _operation(calls.SEND_SIMPLE, Sent(body=message, idempotency_key=idempotency_key), _whole)


def send_xml(messages: Iterable[XmlMessage], *, idempotency_key: str | None = None) -> Operation[list[XmlAccepted]]:
    """Send messages as one XML document, all or none (4.5); an error's ``code`` is the ``ID`` of its ``Response``.

    Recipient i of the result's numbers has the message id ``<RequestID>-<i>``; invalid numbers are left out.
    """
    body = XmlSubmission(XMLDATA=write_request(messages))
    return _operation(calls.SEND_XML, Sent(body=body, idempotency_key=idempotency_key), _accepted)


def _accepted(result: XmlResult) -> list[XmlAccepted]:
    return [] if result.ResponseRequestList is None else result.ResponseRequestList.ResponseRequest


def message_status(message_id: str) -> Operation[MessageStatus | None]:
    """Return the status of a message of this key (2.4), None when there is none."""
    return _operation(calls.MESSAGE_STATUS, Sent(query=MessageQuery(id=message_id)), lambda answer: answer.message)


def messages_page(query: MessagesQuery) -> Operation[MessagesResponse]:
    """Return one page of the messages of a date (2.5); ``next_cursor`` leads to the next."""
    return _operation(calls.MESSAGES_OF_DATE, Sent(query=query), _whole)


def next_page(query: MessagesQuery, page: MessagesResponse) -> MessagesQuery | None:
    """Return the query of the page after ``page``, None after the last one or when the cursor doesn't move."""
    if page.next_cursor is None or page.next_cursor == query.cursor:
        return None
    return query.model_copy(update={"cursor": page.next_cursor})


def request_statistics(
    date: date_,
    request_id: str,
    *,
    subid: str = "default",
) -> Operation[RequestCounters | None]:
    """Return the statistics of one request accepted on the UTC date ``date`` (2.7), None when there is none."""
    query = RequestQuery(date=date, request_id=request_id, subid=subid)
    return _operation(calls.REQUEST_STATISTICS, Sent(query=query), lambda answer: answer.request)


def statistics(
    dates: Iterable[date_],
    *,
    tag: str | None = None,
    subid: str = "default",
) -> Operation[list[DateStatistics]]:
    """Return the statistics of UTC dates, by tags (2.6); dates without data are left out."""
    query = RequestsQuery(dates=list(dates), tag=tag, subid=subid)
    return _operation(calls.STATISTICS, Sent(query=query), lambda answer: answer.requests)


def inbox(date: date_) -> Operation[list[InboundMessage]]:
    """Return what people wrote to the calling key on the UTC date ``date``, the oldest first (2.8)."""
    return _operation(calls.INBOX, Sent(query=InboxQuery(date=date)), lambda answer: answer.inbox)


def apikey_me() -> Operation[ApikeyMe]:
    """Return the calling key and its account."""
    return _operation(calls.APIKEY_ME, Sent(), lambda answer: answer.me)


def apikey_update(settings: ApikeyUpdate) -> Operation[Success]:
    """Change the settings of the calling key; an empty string deletes a value (4.3)."""
    return _operation(calls.APIKEY_UPDATE, Sent(body=settings), _whole)


def opt_out(numbers: Iterable[str], *, subid: str = "default") -> Operation[ListResponse]:
    """Add numbers to the opt-out list, which blocks promotional messages (4.3)."""
    return _operation(calls.OPT_OUT, Sent(body=ListSubmission(to="\n".join(numbers), subid=subid)), _whole)


def blacklist(numbers: Iterable[str], *, subid: str = "default") -> Operation[ListResponse]:
    """Add numbers to the blacklist, which blocks all messages (4.3)."""
    return _operation(calls.BLACKLIST, Sent(body=ListSubmission(to="\n".join(numbers), subid=subid)), _whole)


def start_validation(
    validation: StartValidation, *, idempotency_key: str | None = None
) -> Operation[ValidationStarted]:
    """Send a code to a number (details, "Verification API")."""
    return _operation(calls.START_VALIDATION, Sent(body=validation, idempotency_key=idempotency_key), _whole)


def verify_code(token: str, code: str) -> Operation[ValidationVerified]:
    """Check the code that a person typed (4.4); a wrong one is an `Invalid` with ``code`` INVALID_CODE."""
    return _operation(calls.VERIFY_CODE, Sent(body=CodeGiven(code=code), path={"token": token}), _whole)


def check_proof(token: str, proof: str) -> Operation[ProofChecked]:
    """Tell whether a validation of this account is verified with a proof."""
    return _operation(calls.CHECK_PROOF, Sent(body=ProofGiven(proof=proof), path={"token": token}), _whole)


def verify_proof(proof: ProofToVerify) -> Operation[ProofVerdict]:
    """Tell whether a proof holds for all that it covers; the call needs no key and is sent none."""
    return _operation(calls.VERIFY_PROOF, Sent(body=proof), _whole)


def bulk_url(upload: BulkUpload) -> Operation[str]:
    """Return the address to which the file of an upload is PUT, once and within 60 seconds (4.2)."""
    return _operation(calls.BULK_URL, Sent(body=upload), lambda answer: answer.url)


def bulk_cancel(*, bulk_id: str | None = None, message_id: str | None = None) -> Operation[Cancelled]:
    """Cancel a scheduled upload or message, exactly one of them; `Conflict` when it is too late (details, "bulk")."""
    return _operation(calls.BULK_CANCEL, Sent(body=BulkCancel(bulk_id=bulk_id, message_id=message_id)), _whole)


def bulk_validate(messages: MessageRequest | Sequence[MessageRequest]) -> Operation[Checked]:
    """Check one message, or 1 to 10, without sending: how many recipients would be accepted, and what is wrong."""
    body = MESSAGES_TO_CHECK.validate_python(messages if isinstance(messages, MessageRequest) else list(messages))
    return _operation(calls.BULK_VALIDATE, Sent(body=body), lambda answer: answer.validate_)


def bulk_status(bulk_id: str) -> Operation[BulkStatus | None]:
    """Return how far an upload of this key is, None when there is none; Dovecote's own call."""
    return _operation(calls.BULK_STATUS, Sent(query=BulkQuery(bulk_id=bulk_id)), lambda answer: answer.bulk)
