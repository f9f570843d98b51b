"""What the messaging API and the status calls answer (specification 2.2-2.7, 4.1, 4.3)."""

from datetime import date as date_
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from interface.message import UtcDatetime

_EXAMPLE_ID = "7f0c2a4e-7c1e-4c57-9f0e-5b7d1d3c9a10"
_MOMENT = Field(default=None, examples=["2026-03-01T12:00:00.000Z"])


class Response(BaseModel):
    """An answer; fields that a provider adds are ignored."""

    model_config = ConfigDict(frozen=True)


class Accepted(Response):
    """An item taken for processing; ``key`` is the index of the recipient or message object, as a string."""

    key: str = Field(examples=["0"])
    message_id: str = Field(examples=[_EXAMPLE_ID])


class Rejected(Response):
    """An item refused in phase 1, with a sentence that names the field."""

    key: str = Field(examples=["1"])
    message: str = Field(default="", examples=["to[0].phone_number is required."])


class SendResponse(Response):
    """The answer of ``/message``, ``/message/priority`` and ``/messages`` (2.2)."""

    request_id: str = Field(examples=[_EXAMPLE_ID])
    accepted: list[Accepted] = []
    rejected: list[Rejected] = []


class SimpleResponse(Response):
    """The answer of ``/simple/message`` (2.3)."""

    request_id: str = Field(examples=[_EXAMPLE_ID])
    message_id: str | None = Field(default=None, examples=[_EXAMPLE_ID])
    accepted: bool


class StatusRecipient(Response):
    """The recipient of a status record."""

    phone_number: str = Field(examples=["420777123456"])


class StepStatus(Response):
    """How far one step of the flow came."""

    status_code: str | None = Field(default=None, examples=["200"])
    delivery_code: str | None = Field(default=None, examples=["201"])


class MessageStatus(Response):
    """The status record of one message (2.4); moments are UTC, ``price`` is in the account's currency."""

    status_code: str | None = Field(
        default=None,
        description='"100" waits, "200" handed over, or the rejection.',
        examples=["200"],
    )
    delivery_code: str | None = Field(
        default=None,
        description='"201" delivered, "202" seen, "203" undelivered.',
        examples=["201"],
    )
    status_info: str | None = Field(default=None, examples=["[0] Delivered"])
    tag: str | None = Field(default=None, examples=["parcels"])
    body: str | None = Field(default=None, examples=["Your parcel arrives today."])
    to: StatusRecipient
    request_id: str = Field(examples=[_EXAMPLE_ID])
    ts_created: UtcDatetime | None = _MOMENT
    ts_sent: UtcDatetime | None = _MOMENT
    ts_delivered: UtcDatetime | None = _MOMENT
    ts_seen: UtcDatetime | None = None
    ts_clicked: UtcDatetime | None = None
    ts_updated: UtcDatetime | None = _MOMENT
    flow: list[dict[str, Any]] = Field(default=[], examples=[[{"sms": {"gateway": "high"}}]])
    flow_index: str | None = Field(default=None, examples=["0"])
    flow_status: dict[str, StepStatus] = {}
    price: float | None = Field(default=None, examples=[0.87])
    payload: dict[str, Any] | None = Field(default=None, examples=[{"order": 17}])


class MessageResponse(Response):
    """The envelope of ``GET /message``; ``message`` is null when the key sent no such message."""

    success: bool
    message: MessageStatus | None = None


class MessageRow(Response):
    """A row of the message list: one recipient (2.5). Prices are numeric strings."""

    message_id: str = Field(examples=[_EXAMPLE_ID])
    message_parts: int = Field(default=0, examples=[1])
    ts_sent: UtcDatetime | None = _MOMENT
    ts_delivered: UtcDatetime | None = _MOMENT
    ts_updated: UtcDatetime | None = _MOMENT
    ts_clicked: UtcDatetime | None = None
    ts_seen: UtcDatetime | None = None
    ts_replied: UtcDatetime | None = None
    ts_optout: UtcDatetime | None = None
    sent: int = Field(default=0, examples=[1])
    delivered: int = Field(default=0, examples=[1])
    seen: int = 0
    clicked: int = 0
    replied: int = 0
    optout: int = 0
    nondelivered: int = 0
    body: str | None = Field(default=None, examples=["Your parcel arrives today."])
    flow: str | None = Field(default=None, description="The channel.", examples=["sms"])
    sender: str | None = Field(default=None, examples=["Dovecote"])
    phone_number: str = Field(examples=["420777123456"])
    price_czk: str = Field(default="0", examples=["0.87"])
    price_eur: str = Field(default="0", examples=["0.0348"])


class MessagesResponse(Response):
    """A page of ``GET /messages``; ``next_cursor`` is null on the last one."""

    success: bool
    messages: list[MessageRow] = []
    next_cursor: str | None = Field(default=None, examples=["AZ5fV0S3dNqL8mXy_0xJ1wAB"])


class DateCounters(Response):
    """The counters of one date and set of tags (2.6); ``msg_mccmnc`` counts messages by network code."""

    count_delivered: int = Field(default=0, examples=[16])
    count_seen: int = 0
    count_clicked: int = 0
    count_nondelivered: int = Field(default=0, examples=[1])
    count_sent: int = Field(default=0, examples=[17])
    count_notsent: int = 0
    count_replied: int = 0
    count_optout: int = 0
    msg_sent: int = Field(default=0, examples=[20])
    first_ts_sent: UtcDatetime | None = _MOMENT
    last_ts_sent: UtcDatetime | None = _MOMENT
    msg_mccmnc: dict[str, int] = Field(default={}, examples=[{"23003": 17}])


class DateStatistics(Response):
    """The statistics of one UTC date of acceptance and one set of tags (2.6)."""

    date: date_
    tags: list[str] = Field(default=[], examples=[["parcels"]])
    stats: DateCounters


class RequestStatistics(Response):
    """The envelope of ``GET /requests``; dates without data are left out."""

    success: bool
    requests: list[DateStatistics] = []


def _numeric_text(value: object) -> object:
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


Counter = Annotated[str, BeforeValidator(_numeric_text, json_schema_input_type=str | int | float)]
"""A count or an amount, written as a numeric string."""


class RequestCounters(Response):
    """The statistics of one request (2.7); every counter is a string."""

    count_delivered: Counter = Field(default="0", examples=["16"])
    count_nondelivered: Counter = Field(default="0", examples=["1"])
    count_sent: Counter = Field(default="0", examples=["17"])
    count_notsent: Counter = "0"
    count_replied: Counter = "0"
    count_optout: Counter = "0"
    msg_sent: Counter = Field(default="0", examples=["20"])
    price_czk: Counter = Field(default="0", examples=["17.40"])
    price_eur: Counter = Field(default="0", examples=["0.696"])
    first_ts_sent: UtcDatetime | None = _MOMENT
    last_ts_sent: UtcDatetime | None = _MOMENT


class SingleRequestStatistics(Response):
    """The envelope of ``GET /request``; ``request`` is null when the key made no such request."""

    success: bool
    request: RequestCounters | None = None


class AuthenticationProblem(Response):
    """The body of a 400 of the messaging API for a missing, malformed or refused key (specification 5)."""

    Message: str = Field(examples=["User is not authorized to access this resource with an explicit deny"])


class FieldProblem(Response):
    """One field to correct; ``field`` is a path such as ``flow[0].sms.gateway``."""

    field: str = Field(default="", examples=["flow[0].sms.gateway"])
    message: str = ""


class ValidationProblem(Response):
    """The body of a 400 of the messaging API for a request that is not valid (details, "Responses and errors")."""

    message: str = Field(examples=["body is required."])
    errors: list[FieldProblem] = []


class Problem(Response):
    """The body of every error of the REST API."""

    message: str = Field(examples=["Failed to read messages"])
