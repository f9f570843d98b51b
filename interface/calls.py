"""Every call of the interface, once: what it takes, what it answers, whether it may be repeated (specification 4).

The client runs these calls; the service checks its routes against them and describes itself with them.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Generic, TypeVar

from pydantic import BaseModel, TypeAdapter

from interface.account import ApikeyMeResponse, ApikeyUpdate, ListResponse, ListSubmission, Success
from interface.bulk import (
    MESSAGES_TO_CHECK,
    BulkCancel,
    BulkQuery,
    BulkStatusResponse,
    BulkUpload,
    Cancelled,
    CheckedResponse,
    UploadAddress,
)
from interface.inbox import InboxQuery, InboxResponse
from interface.message import MESSAGES, MessageRequest
from interface.queries import MessageQuery, MessagesQuery, RequestQuery, RequestsQuery
from interface.responses import (
    AuthenticationProblem,
    MessageResponse,
    MessagesResponse,
    Problem,
    RequestStatistics,
    SendResponse,
    SimpleResponse,
    SingleRequestStatistics,
    ValidationProblem,
)
from interface.simple import SimpleMessage, SimpleQuery
from interface.verification import (
    CodeGiven,
    ProofChecked,
    ProofGiven,
    ProofToVerify,
    ProofVerdict,
    StartValidation,
    ValidationStarted,
    ValidationVerified,
    VerificationProblem,
)
from interface.xml import XmlResult, XmlSubmission

Answer_co = TypeVar("Answer_co", bound=BaseModel, covariant=True)

KEY_HEADER: Final = "x-api-key"
"""The header that carries the key on every call (specification 5)."""
IDEMPOTENCY_HEADER: Final = "Idempotency-Key"
"""The header that makes a send repeatable within 24 h; ours, other providers ignore it."""


class Base(StrEnum):
    """Which of the base addresses a path is below."""

    MESSAGING = "messaging"
    REST = "rest"
    VERIFY = "verify"
    XML = "xml"


class Content(StrEnum):
    """How the body of a request or an answer is written."""

    JSON = "application/json"
    FORM = "application/x-www-form-urlencoded"
    XML = "application/xml"


class Repeatable(StrEnum):
    """When a call whose answer was lost may be repeated without doing anything twice."""

    ALWAYS = "always"  # it only reads, or setting the same again changes nothing
    WITH_KEY = "with-idempotency-key"  # it sends: only with an Idempotency-Key that the server honours
    NEVER = "never"  # each time counts


@dataclass(frozen=True, slots=True)
class ErrorAnswer:
    """An error that a call documents: its status, when it comes, and the models its body may have."""

    status: int
    description: str
    bodies: tuple[type[BaseModel], ...] = (Problem,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Generic[Answer_co]):
    """One call: ``path`` is below the address of ``base``; ``body`` and ``query`` are what it is sent, if anything.

    A name in braces in ``path`` stands for a parameter.
    """

    name: str
    method: str
    path: str
    base: Base
    group: str
    summary: str
    answer: type[Answer_co]
    description: str = ""
    body: TypeAdapter[Any] | None = None
    content: Content = Content.JSON
    answers: Content = Content.JSON
    query: type[BaseModel] | None = None
    repeatable: Repeatable = Repeatable.ALWAYS
    errors: tuple[ErrorAnswer, ...] = ()
    needs_key: bool = True

    @property
    def takes_idempotency_key(self) -> bool:
        """Whether ``Idempotency-Key`` means something to this call."""
        return self.repeatable is Repeatable.WITH_KEY


_SEND_ERRORS = (
    ErrorAnswer(400, "The key is refused, or the request is not valid.", (AuthenticationProblem, ValidationProblem)),
    ErrorAnswer(409, "The first request with this Idempotency-Key is still running."),
    ErrorAnswer(413, "The request is larger than 1 MiB."),
    ErrorAnswer(422, "The Idempotency-Key was used with another request."),
    ErrorAnswer(500, "Unexpected error; whether the message was accepted is not known."),
)
_WRONG_CONTENT_TYPE = ErrorAnswer(415, "The Content-Type is not the one this call takes.")
_REST_ERRORS = (
    ErrorAnswer(400, "A parameter is missing or not valid."),
    ErrorAnswer(401, "The key is missing, unknown or blocked."),
    ErrorAnswer(500, "Unexpected error."),
)
_SETTINGS_ERRORS = (
    *_REST_ERRORS,
    ErrorAnswer(403, "The key's scope may not do this."),
    ErrorAnswer(413, "The request is too large."),
    _WRONG_CONTENT_TYPE,
)

SEND: Final = Call(
    name="send",
    method="POST",
    path="/message",
    base=Base.MESSAGING,
    group="messaging",
    summary="Send one message to 1 to 10 recipients",
    description="200 means accepted for processing. `key` is the index in `to`; one `message_id` per recipient.",
    body=TypeAdapter(MessageRequest),
    answer=SendResponse,
    repeatable=Repeatable.WITH_KEY,
    errors=(*_SEND_ERRORS, _WRONG_CONTENT_TYPE),
)
SEND_PRIORITY: Final = Call(
    name="send_priority",
    method="POST",
    path="/message/priority",
    base=Base.MESSAGING,
    group="messaging",
    summary="Send one message through the priority queue",
    description="As `/message`, ahead of everything else whatever the tag.",
    body=TypeAdapter(MessageRequest),
    answer=SendResponse,
    repeatable=Repeatable.WITH_KEY,
    errors=(*_SEND_ERRORS, _WRONG_CONTENT_TYPE),
)
SEND_MANY: Final = Call(
    name="send_many",
    method="POST",
    path="/messages",
    base=Base.MESSAGING,
    group="messaging",
    summary="Send 1 to 10 messages, each to 1 to 10 recipients",
    description=(
        "`key` is the index of the message object; one `message_id` per object, the recipients' are "
        "`<message_id>-<index>`. Valid objects are accepted even when others are rejected."
    ),
    body=MESSAGES,
    answer=SendResponse,
    repeatable=Repeatable.WITH_KEY,
    errors=(*_SEND_ERRORS, _WRONG_CONTENT_TYPE),
)
SEND_SIMPLE: Final = Call(
    name="send_simple",
    method="POST",
    path="/simple/message",
    base=Base.MESSAGING,
    group="messaging",
    summary="Send one SMS from a form",
    body=TypeAdapter(SimpleMessage),
    content=Content.FORM,
    answer=SimpleResponse,
    repeatable=Repeatable.WITH_KEY,
    errors=(*_SEND_ERRORS, _WRONG_CONTENT_TYPE),
)
SEND_SIMPLE_BY_QUERY: Final = Call(
    name="send_simple_by_query",
    method="GET",
    path="/simple/message",
    base=Base.MESSAGING,
    group="messaging",
    summary="Send one SMS from query parameters",
    description="The only call that also takes the key as a parameter, `apikey`.",
    query=SimpleQuery,
    answer=SimpleResponse,
    repeatable=Repeatable.WITH_KEY,
    errors=_SEND_ERRORS,
)
MESSAGE_STATUS: Final = Call(
    name="message_status",
    method="GET",
    path="/message",
    base=Base.REST,
    group="status",
    summary="Status of one message",
    description="Only messages sent by the calling key; `message` is null for any other.",
    query=MessageQuery,
    answer=MessageResponse,
    errors=_REST_ERRORS,
)
MESSAGES_OF_DATE: Final = Call(
    name="messages",
    method="GET",
    path="/messages",
    base=Base.REST,
    group="status",
    summary="Messages of a date, one row per recipient",
    description="Pages: pass `next_cursor` as `cursor` until it is null.",
    query=MessagesQuery,
    answer=MessagesResponse,
    errors=_REST_ERRORS,
)
REQUEST_STATISTICS: Final = Call(
    name="request_statistics",
    method="GET",
    path="/request",
    base=Base.REST,
    group="status",
    summary="Statistics of one request",
    query=RequestQuery,
    answer=SingleRequestStatistics,
    errors=_REST_ERRORS,
)
STATISTICS: Final = Call(
    name="statistics",
    method="GET",
    path="/requests",
    base=Base.REST,
    group="status",
    summary="Statistics of dates, by tags",
    description="Dates without data are left out.",
    query=RequestsQuery,
    answer=RequestStatistics,
    errors=_REST_ERRORS,
)
INBOX: Final = Call(
    name="inbox",
    method="GET",
    path="/inbox",
    base=Base.REST,
    group="inbox",
    summary="What people wrote to the calling key on a date",
    description="By the date of receipt. Answers to messages of the key, and what was written to its default sender.",
    query=InboxQuery,
    answer=InboxResponse,
    errors=_REST_ERRORS,
)
APIKEY_ME: Final = Call(
    name="apikey_me",
    method="GET",
    path="/apikey/me",
    base=Base.REST,
    group="api keys",
    summary="The calling key and its account",
    answer=ApikeyMeResponse,
    errors=_REST_ERRORS,
)
APIKEY_UPDATE: Final = Call(
    name="apikey_update",
    method="POST",
    path="/apikey/update",
    base=Base.REST,
    group="api keys",
    summary="Change the settings of the calling key",
    description="Both required fields must be present; an empty string deletes the value.",
    body=TypeAdapter(ApikeyUpdate),
    answer=Success,
    errors=_SETTINGS_ERRORS,
)
OPT_OUT: Final = Call(
    name="opt_out",
    method="POST",
    path="/optout",
    base=Base.REST,
    group="blacklist",
    summary="Add numbers to the opt-out list",
    description="Blocks messages tagged `promotional`.",
    body=TypeAdapter(ListSubmission),
    answer=ListResponse,
    errors=_SETTINGS_ERRORS,
)
BLACKLIST: Final = Call(
    name="blacklist",
    method="POST",
    path="/blacklist",
    base=Base.REST,
    group="blacklist",
    summary="Add numbers to the blacklist",
    description="Blocks all messages to these numbers.",
    body=TypeAdapter(ListSubmission),
    answer=ListResponse,
    errors=_SETTINGS_ERRORS,
)

_VERIFICATION_PROBLEM = (VerificationProblem,)
_VERIFICATION_BODY_ERRORS = (
    ErrorAnswer(413, "`TOO_LARGE`: the request is larger than 1 MiB.", _VERIFICATION_PROBLEM),
    ErrorAnswer(415, "`WRONG_CONTENT_TYPE`: the body must be JSON.", _VERIFICATION_PROBLEM),
    ErrorAnswer(500, "`INTERNAL_ERROR`: unexpected error; try again in a moment.", _VERIFICATION_PROBLEM),
)
_VERIFICATION_ERRORS = (
    ErrorAnswer(401, "`MISSING_API_KEY`, `INVALID_API_KEY`.", _VERIFICATION_PROBLEM),
    *_VERIFICATION_BODY_ERRORS,
)
_NO_VALIDATION = ErrorAnswer(404, "`NOT_FOUND`: this account has no such token.", _VERIFICATION_PROBLEM)
_LIMITED = "`Retry-After` says for how many seconds, `RateLimit-Policy` and `RateLimit` which limit it is."

START_VALIDATION: Final = Call(
    name="start_validation",
    method="POST",
    path="/v1/validations",
    base=Base.VERIFY,
    group="verification",
    summary="Send a code to a phone number",
    description="The code lives 10 minutes and goes out as a `priority` message.",
    body=TypeAdapter(StartValidation),
    answer=ValidationStarted,
    repeatable=Repeatable.WITH_KEY,
    errors=(
        ErrorAnswer(400, "`MISSING_FIELD`, `INVALID_PHONE`, `INVALID_REQUEST`.", _VERIFICATION_PROBLEM),
        ErrorAnswer(409, "`STILL_RUNNING`: the first request with this Idempotency-Key.", _VERIFICATION_PROBLEM),
        ErrorAnswer(422, "`IDEMPOTENCY_KEY_REUSED`: it was used with another request.", _VERIFICATION_PROBLEM),
        ErrorAnswer(429, f"`TENANT_RATE_LIMIT`, `PHONE_RATE_LIMIT`; {_LIMITED}", _VERIFICATION_PROBLEM),
        *_VERIFICATION_ERRORS,
    ),
)
VERIFY_CODE: Final = Call(
    name="verify_code",
    method="POST",
    path="/v1/validations/{token}/verify",
    base=Base.VERIFY,
    group="verification",
    summary="Check the code that a person typed",
    description="Each call with six digits is an attempt; the number of attempts is the account's, 6 by default.",
    body=TypeAdapter(CodeGiven),
    answer=ValidationVerified,
    repeatable=Repeatable.NEVER,
    errors=(
        ErrorAnswer(
            400,
            "`INVALID_CODE` with `attemptsRemaining`, `INVALID_CODE_FORMAT` (not an attempt), `EXPIRED`, "
            "`ALREADY_VERIFIED`, `MISSING_FIELD`, `INVALID_REQUEST`.",
            _VERIFICATION_PROBLEM,
        ),
        _NO_VALIDATION,
        ErrorAnswer(429, f"`TOO_MANY_ATTEMPTS`; {_LIMITED}", _VERIFICATION_PROBLEM),
        *_VERIFICATION_ERRORS,
    ),
)
CHECK_PROOF: Final = Call(
    name="check_proof",
    method="PATCH",
    path="/v1/validations/{token}",
    base=Base.VERIFY,
    group="verification",
    summary="Check that a validation is verified with a proof",
    body=TypeAdapter(ProofGiven),
    answer=ProofChecked,
    errors=(
        ErrorAnswer(400, "`MISSING_FIELD`, `INVALID_REQUEST`.", _VERIFICATION_PROBLEM),
        _NO_VALIDATION,
        *_VERIFICATION_ERRORS,
    ),
)
VERIFY_PROOF: Final = Call(
    name="verify_proof",
    method="POST",
    path="/v1/verify-proof",
    base=Base.VERIFY,
    group="verification",
    summary="Check a proof with all that it covers",
    description="Needs no key. A proof holds for 24 hours, and only once its code was verified.",
    body=TypeAdapter(ProofToVerify),
    answer=ProofVerdict,
    errors=(
        ErrorAnswer(400, "`MISSING_FIELD`, `INVALID_REQUEST`.", _VERIFICATION_PROBLEM),
        *_VERIFICATION_BODY_ERRORS,
    ),
    needs_key=False,
)

_BODY_ERRORS = (*_REST_ERRORS, ErrorAnswer(413, "The request is larger than 1 MiB."), _WRONG_CONTENT_TYPE)
_NO_FOLDER = ErrorAnswer(503, "Bulk upload is not set up on this service.")

BULK_URL: Final = Call(
    name="bulk_url",
    method="POST",
    path="/messaging/url",
    base=Base.REST,
    group="messaging",
    summary="Get an address for a file of messages",
    description=(
        "PUT the file to it once, within 60 seconds, without a key: `application/jsonl` or `application/gzip`, one "
        "message object a line. Results come as notifications, rejected lines too; `/messaging/bulk` says how far."
    ),
    body=TypeAdapter(BulkUpload),
    answer=UploadAddress,
    repeatable=Repeatable.NEVER,
    errors=(*_BODY_ERRORS, ErrorAnswer(409, "The bulk_id was used for another upload."), _NO_FOLDER),
)
BULK_CANCEL: Final = Call(
    name="bulk_cancel",
    method="POST",
    path="/messaging/cancel",
    base=Base.REST,
    group="messaging",
    summary="Cancel a scheduled upload or message",
    description="Exactly one of the two. A `message_id` without `-<index>` cancels all recipients still scheduled.",
    body=TypeAdapter(BulkCancel),
    answer=Cancelled,
    repeatable=Repeatable.NEVER,
    errors=(
        *_BODY_ERRORS,
        ErrorAnswer(404, "This key has no such upload or message."),
        ErrorAnswer(409, "It is not scheduled any more."),
    ),
)
BULK_VALIDATE: Final = Call(
    name="bulk_validate",
    method="POST",
    path="/messaging/validate",
    base=Base.REST,
    group="messaging",
    summary="Check messages without sending them",
    description=(
        "One message, or an array of 1 to 10; `key` is the index as in the sending calls. Checks the shape, and as "
        "things are now the numbers, lists, prices and credit; windows and schedules don't matter. Counts are of "
        "recipients."
    ),
    body=MESSAGES_TO_CHECK,
    answer=CheckedResponse,
    errors=_BODY_ERRORS,
)
BULK_STATUS: Final = Call(
    name="bulk_status",
    method="GET",
    path="/messaging/bulk",
    base=Base.REST,
    group="messaging",
    summary="How far an upload is",
    description="Only uploads of the calling key; `bulk` is null for any other.",
    query=BulkQuery,
    answer=BulkStatusResponse,
    errors=(*_REST_ERRORS, _NO_FOLDER),
)

_XML_RESULT = (XmlResult,)

SEND_XML: Final = Call(
    name="send_xml",
    method="POST",
    path="",
    base=Base.XML,
    group="messaging",
    summary="Send messages as an XML document",
    description=(
        "All of the document is accepted or nothing. One `RequestID` per `Request`; its recipients' message ids are "
        "`<RequestID>-<index>`, in the order of `ResponseNumbersList`, which leaves out invalid numbers. The key may "
        "stand in the header, in the form or in the document."
    ),
    body=TypeAdapter(XmlSubmission),
    content=Content.FORM,
    answer=XmlResult,
    answers=Content.XML,
    repeatable=Repeatable.WITH_KEY,
    errors=(
        ErrorAnswer(
            400,
            "`ID` 101 no XMLDATA, 102 not well-formed or not in this format, 104 gateway, 109 a required part is "
            "missing, 201 no valid number, 202 text missing or too long, 203 sender.",
            _XML_RESULT,
        ),
        ErrorAnswer(401, "`ID` 103: the key is missing, unknown or blocked.", _XML_RESULT),
        ErrorAnswer(402, "`ID` 105: the credit doesn't suffice for the whole document.", _XML_RESULT),
        ErrorAnswer(500, "`ID` 900: whether anything was accepted is not known.", _XML_RESULT),
        ErrorAnswer(503, "`ID` 503: nothing was done; try again.", _XML_RESULT),
    ),
)

CALLS: Final[tuple[Call[BaseModel], ...]] = (
    SEND,
    SEND_PRIORITY,
    SEND_MANY,
    SEND_SIMPLE,
    SEND_SIMPLE_BY_QUERY,
    MESSAGE_STATUS,
    MESSAGES_OF_DATE,
    REQUEST_STATISTICS,
    STATISTICS,
    INBOX,
    APIKEY_ME,
    APIKEY_UPDATE,
    OPT_OUT,
    BLACKLIST,
    BULK_URL,
    BULK_CANCEL,
    BULK_VALIDATE,
    BULK_STATUS,
    START_VALIDATION,
    VERIFY_CODE,
    CHECK_PROOF,
    VERIFY_PROOF,
    SEND_XML,
)
"""All calls, in the order in which the documentation shows them."""
