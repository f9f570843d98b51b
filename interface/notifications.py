"""The events that the service posts to callback addresses (specification 6, details "Notifications")."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, TypeAdapter

from interface.flow_steps import Channel
from interface.results import Result

CHANNEL_OBJECTS: Final[Mapping[Channel, str]] = MappingProxyType(
    {channel: "whatsapp_body" if channel is Channel.WHATSAPP_TEXT else channel.value for channel in Channel},
)
"""The name of a `SentMessage`'s object for each channel."""


class Notification(BaseModel):
    """Something that happened; fields that a provider adds are ignored."""

    model_config = ConfigDict(frozen=True)


class Addressee(Notification):
    """The recipient of a message."""

    phone_number: str


class ChannelDetails(Notification):
    """How a message went out: ``country`` is an MCC, ``operator`` an MNC (0 unknown), ``count`` billed parts."""

    sender: str | None = None
    country: int | None = None
    operator: int = 0
    price_czk: float = 0
    price_eur: float = 0
    count: int = 0


class SmsDetails(ChannelDetails):
    """The details of an SMS, which name its gateway too."""

    gateway: str | None = None


class SentMessage(Notification):
    """``sentMessage``: a message of the account has a new result. ``timestamp`` is Unix time in seconds."""

    request_id: str | None = None
    message_id: str
    gateway: str = Field(description="The channel.", examples=["sms"])
    timestamp: int
    payload: dict[str, Any] | None = None
    type: Literal["outgoing"] = "outgoing"
    to: Addressee
    result: Result
    result_info: str = ""
    sms: SmsDetails | None = None
    viber: ChannelDetails | None = None
    rcs: ChannelDetails | None = None
    whatsapp_template: ChannelDetails | None = None
    whatsapp_body: ChannelDetails | None = None

    def details(self) -> ChannelDetails | None:
        """Return the object named after the channel."""
        return self.sms or self.viber or self.rcs or self.whatsapp_template or self.whatsapp_body


class IncomingMessage(Notification):
    """``incomingMessage``: somebody wrote to a number of the account."""

    gateway: str
    timestamp: int
    type: Literal["incoming"] = "incoming"
    sender: str
    recipient: str
    body: str


class IncomingReplyMessage(IncomingMessage):
    """``incomingReplyMessage``: a recipient answered a message; the first three fields are those of that message."""

    request_id: str | None = None
    message_id: str
    payload: dict[str, Any] | None = None


class LowCredit(Notification):
    """``lowCredit``: credit fell below the value of the key's alert. Amounts are decimal text in ``currency``."""

    type: Literal["lowCredit"] = "lowCredit"
    timestamp: int
    subid: str = Field(default="default", description="The key's name as a sub-account.")
    credit: str = Field(examples=["12.50"])
    value: str = Field(examples=["50.00"])
    currency: str = Field(examples=["CZK"])


class UnknownEvent(Notification):
    """An event of a kind that isn't known here, kept whole so that a receiver can still take its batch."""

    model_config = ConfigDict(frozen=True, extra="allow")


def _kind(event: object) -> str:
    kind = event.get("type") if isinstance(event, dict) else getattr(event, "type", None)
    if kind == "outgoing":
        return "sent"
    if kind == "lowCredit":
        return "credit"
    if kind != "incoming":
        return "unknown"
    answers = "message_id" in event if isinstance(event, dict) else isinstance(event, IncomingReplyMessage)
    return "reply" if answers else "incoming"


Event = Annotated[
    Annotated[SentMessage, Tag("sent")]
    | Annotated[IncomingReplyMessage, Tag("reply")]
    | Annotated[IncomingMessage, Tag("incoming")]
    | Annotated[LowCredit, Tag("credit")]
    | Annotated[UnknownEvent, Tag("unknown")],
    Discriminator(_kind),
]
"""Any event of a callback's body."""

EVENTS: Final[TypeAdapter[list[Event]]] = TypeAdapter(list[Event])
"""The body of a callback: always an array."""


def parse_events(raw: bytes) -> list[Event]:
    """Read the body of a callback; raises `pydantic.ValidationError` when it isn't an array of events."""
    return EVENTS.validate_json(raw)
