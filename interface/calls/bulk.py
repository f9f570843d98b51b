"""The calls about files of messages, and about messages that wait (specification 4.3)."""

from typing import Final

from pydantic import BaseModel, TypeAdapter

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
from interface.calls.call import Base, Call, ErrorAnswer, Repeatable
from interface.calls.errors import REST_ERRORS, WRONG_CONTENT_TYPE

_BODY_ERRORS = (*REST_ERRORS, ErrorAnswer(413, "The request is larger than 1 MiB."), WRONG_CONTENT_TYPE)
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
    errors=(*REST_ERRORS, _NO_FOLDER),
)

CALLS: Final[tuple[Call[BaseModel], ...]] = (BULK_URL, BULK_CANCEL, BULK_VALIDATE, BULK_STATUS)
