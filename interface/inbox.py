"""The inbox: what people wrote to the key's senders (specification 2.8, 4.3)."""

from typing import Any

from pydantic import ConfigDict, Field

from interface.message import UtcDatetime
from interface.queries import Date, Query
from interface.responses import Response
from interface.texts import Text


class InboundMessage(Response):
    """An inbound message (2.8): ``payload`` is that of the message answered, null when it answers none."""

    model_config = ConfigDict(frozen=True, validate_by_name=True, validate_by_alias=True)

    ts_received: UtcDatetime = Field(examples=["2026-03-01T12:00:00.000Z"])
    body: str = Field(examples=["YES"])
    from_: str = Field(alias="from", description="Number of whoever wrote.", examples=["420777123456"])
    to: str = Field(description="Sender that was written to.", examples=["Dovecote"])
    gateway: str = Field(default="sms", description="The channel.", examples=["sms"])
    payload: dict[str, Any] | None = Field(default=None, examples=[{"order": 17}])


class InboxResponse(Response):
    """The envelope of ``GET /inbox``, the oldest message first."""

    success: bool
    inbox: list[InboundMessage] = Field(default=[])


class InboxQuery(Query):
    """``GET /inbox``."""

    date: Date = Field(description="UTC date of receipt.", examples=["2026-03-01"])
    subid: Text | None = Field(default=None, description="Sub-account; absent or `default`: the calling key itself.")
