"""Bulk upload, its status, cancelling and checking without sending (specification 4.2, details "bulk")."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, Final, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, model_validator
from pydantic_core import PydanticCustomError

from interface import patterns
from interface.message import MAX_MESSAGES, MessageRequest, UtcDatetime
from interface.queries import Identifier, Query
from interface.responses import Response


class Filetype(StrEnum):
    """How an uploaded file is written: JSON Lines as they are, or compressed with gzip."""

    JSONL = "jsonl"
    GZ = "gz"


CONTENT_TYPES: Final[Mapping[Filetype, str]] = MappingProxyType(
    {Filetype.JSONL: "application/jsonl", Filetype.GZ: "application/gzip"},
)
"""The ``Content-Type`` with which each kind of file is PUT."""

BulkId = Annotated[str, StringConstraints(pattern=patterns.NOT_EMPTY, max_length=255)]
"""The caller's name of an upload: 1 to 255 characters."""


class BulkState(StrEnum):
    """Where an upload is. Each value says who moves it there."""

    WAITING_FOR_FILE = "waiting_for_file"  # the address was given; nothing has been received at it
    SCHEDULED = "scheduled"  # the file is on disk and waits for its `datetime`
    PROCESSING = "processing"  # its lines are being accepted, or are about to be
    DONE = "done"  # every line is accepted or rejected
    CANCELLED = "cancelled"  # the account cancelled it before its time; no line was accepted
    FAILED = "failed"  # the file was lost before all its lines were read


class BulkUpload(BaseModel):
    """What a bulk upload is asked for with."""

    model_config = ConfigDict(
        frozen=True,
        json_schema_extra={
            "examples": [{"bulk_id": "autumn-sale", "filetype": "gz", "datetime": "2026-09-21T08:00:00Z"}],
        },
    )

    bulk_id: BulkId = Field(description="Your name of this upload; each can be used for one file.")
    filetype: Filetype = Field(description="`jsonl`: one message object a line; `gz`: the same, gzipped.")
    datetime: UtcDatetime | None = Field(default=None, description="When to process the file, UTC; in the past: now.")


class UploadAddress(Response):
    """Where to PUT the file, without a key, within 60 seconds."""

    success: bool
    url: str = Field(examples=["https://dovecote.example/v1/messaging/upload/WyI3ZjBjMmE0ZSJd.c2lnbmF0dXJl"])


class BulkCancel(BaseModel):
    """What to cancel: a scheduled upload, or a scheduled message. Exactly one of the two."""

    model_config = ConfigDict(frozen=True, json_schema_extra={"examples": [{"bulk_id": "autumn-sale"}]})

    bulk_id: BulkId | None = Field(default=None, description="A scheduled upload.")
    message_id: Identifier | None = Field(
        default=None,
        description="A scheduled message; without its `-<index>` the message object with all its recipients.",
    )

    @model_validator(mode="after")
    def _names_one(self) -> Self:
        if (self.bulk_id is None) == (self.message_id is None):
            raise PydanticCustomError("exactly_one", "must hold exactly one of bulk_id and message_id")
        return self


class Cancelled(Response):
    """The answer of a cancellation that came in time."""

    success: bool
    message: str = Field(examples=["Schedule cancelled"])


class CheckedError(Response):
    """Why something would not be sent; ``key`` is the index as in a sending call, ``code`` that of ``result_info``."""

    key: str = Field(examples=["0"])
    field: str = Field(default="", examples=["to[0].phone_number"])
    message: str = Field(default="", examples=["Invalid phone number"])
    code: int = Field(default=0, examples=[302])


class Checked(Response):
    """How many recipients would be sent to and how many not, as things are now."""

    accepted: int
    rejected: int
    errors: list[CheckedError] = Field(default=[])


class CheckedResponse(Response):
    """The envelope of ``POST /messaging/validate``."""

    success: bool
    validate_: Checked = Field(alias="validate")


MESSAGES_TO_CHECK: Final = TypeAdapter[MessageRequest | list[MessageRequest]](
    MessageRequest | Annotated[list[MessageRequest], Field(min_length=1, max_length=MAX_MESSAGES)],
)
"""The body of ``/messaging/validate``: what a sending call would take."""


class BulkQuery(Query):
    """``GET /messaging/bulk``."""

    bulk_id: BulkId = Field(description="The name that the upload was asked for with.", examples=["autumn-sale"])


class RejectedLine(Response):
    """A line that is no message; lines count from 1."""

    line: int = Field(examples=[17])
    message: str = Field(examples=["to is required."])


class BulkStatus(Response):
    """How far an upload is. ``accepted`` and ``rejected`` count lines; ``errors`` holds the first 20 rejected ones."""

    bulk_id: str = Field(examples=["autumn-sale"])
    request_id: str = Field(examples=["7f0c2a4e-7c1e-4c57-9f0e-5b7d1d3c9a10"])
    state: BulkState = Field(examples=["processing"])
    filetype: Filetype = Field(examples=["gz"])
    datetime: UtcDatetime | None = Field(default=None, examples=["2026-09-21T08:00:00Z"])
    lines: int = 0
    accepted: int = 0
    rejected: int = 0
    errors: list[RejectedLine] = Field(default=[])
    percentage: float = Field(default=0, examples=[62.5])
    ts_created: UtcDatetime = Field(examples=["2026-09-20T08:00:00Z"])
    ts_received: UtcDatetime | None = None
    ts_finished: UtcDatetime | None = None


class BulkStatusResponse(Response):
    """The envelope of ``GET /messaging/bulk``; ``bulk`` is null when the key has no such upload."""

    success: bool
    bulk: BulkStatus | None = None
