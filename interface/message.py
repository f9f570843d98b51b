"""The message request object of the messaging API (specification 2.1)."""

from datetime import UTC, datetime
from typing import Annotated, Final, Self

from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    TypeAdapter,
    model_validator,
)
from pydantic_core import PydanticCustomError

from interface import patterns
from interface.delivery_time import DeliveryTime, Weekday
from interface.field_errors import FieldError, field_errors, field_path
from interface.flow_steps import (
    Channel,
    FlowStep,
    Gateway,
    RcsStep,
    SmsStep,
    SmsType,
    Step,
    TtlCondition,
    ViberButton,
    ViberStep,
    WhatsappTemplateStep,
    WhatsappTextStep,
)
from interface.payload import Payload
from interface.special_parameters import IncomingHandling, LinkShortening, SpecialParameters
from interface.texts import DEFAULT_TAG, Body, Callback, Sender, Tag, normalise_tags

__all__ = [
    "DEFAULT_STEPS",
    "DEFAULT_TAG",
    "MAX_MESSAGES",
    "MAX_RECIPIENTS",
    "MAX_STEPS",
    "MESSAGES",
    "Channel",
    "DeliveryTime",
    "FieldError",
    "FlowStep",
    "Gateway",
    "IncomingHandling",
    "LinkShortening",
    "MessageRequest",
    "RcsStep",
    "Recipient",
    "SmsStep",
    "SmsType",
    "SpecialParameters",
    "Step",
    "TtlCondition",
    "UtcDatetime",
    "ViberButton",
    "ViberStep",
    "Weekday",
    "WhatsappTemplateStep",
    "WhatsappTextStep",
    "field_errors",
    "field_path",
    "normalise_tags",
]

MAX_RECIPIENTS: Final = 10
"""Recipients of one message object (specification 8)."""
MAX_MESSAGES: Final = 10
"""Message objects of one call (specification 8)."""
MAX_STEPS: Final = 20
"""Steps of a flow."""
DEFAULT_STEPS: Final[tuple[Step, ...]] = (SmsStep(),)
"""The flow of a message that names none: one SMS step with the gateway ``high``."""


def _written_moment(value: object) -> object:
    if isinstance(value, datetime) or (isinstance(value, str) and "-" in value):
        return value
    raise PydanticCustomError("moment", "must be a date and time written in ISO 8601, in UTC")


def _in_utc(value: datetime) -> datetime:
    if value.tzinfo is None:
        return value.replace(tzinfo=UTC)
    try:
        return value.astimezone(UTC)
    except OverflowError as error:
        raise PydanticCustomError("moment", "must be a date and time of the years 1 to 9999 in UTC") from error


UtcDatetime = Annotated[datetime, AfterValidator(_in_utc), BeforeValidator(_written_moment, json_schema_input_type=str)]
"""A moment in UTC; one written without an offset is in UTC already."""


class Recipient(BaseModel):
    """One recipient; the number may be written in any common way and is normalised in phase 2."""

    model_config = ConfigDict(frozen=True)

    phone_number: Annotated[str, StringConstraints(pattern=patterns.NOT_EMPTY, max_length=64)] = Field(
        description="Phone number, best in international format without + or 00.",
        examples=["420777123456"],
    )


class MessageRequest(BaseModel):
    """One message for 1 to 10 recipients. Unknown fields are ignored, a body longer than 1000 characters is cut."""

    model_config = ConfigDict(
        frozen=True,
        validate_by_name=True,
        validate_by_alias=True,
        json_schema_extra={
            "examples": [
                {
                    "to": [{"phone_number": "420777123456"}],
                    "body": "Your parcel arrives today.",
                    "sender": "Dovecote",
                    "tag": "parcels",
                    "payload": {"order": 17},
                },
            ],
        },
    )

    to: list[Recipient] = Field(min_length=1, max_length=MAX_RECIPIENTS, description="1 to 10 recipients.")
    body: Body | None = Field(default=None, description="Text; required here or in every step that carries text.")
    sender: Sender | None = Field(default=None, description="Sender name (at most 11 characters) or number.")
    tag: Tag = Field(
        default=DEFAULT_TAG,
        validation_alias=AliasChoices("tag", "messageTag"),
        serialization_alias="tag",
        description="Comma-separated labels; `priority` and `transactional` choose the queue.",
    )
    callback: Callback | None = Field(default=None, description="Address for the notifications of this message.")
    payload: Payload | None = Field(default=None, description="Returned in notifications and status calls.")
    datetime: UtcDatetime | None = Field(default=None, description="When to send, UTC; in the past means now.")
    delivery_time: DeliveryTime | None = Field(default=None, description="Permitted delivery window.")
    flow: list[FlowStep] | None = Field(
        default=None, min_length=1, max_length=MAX_STEPS, description="Channels in order of preference."
    )
    params: SpecialParameters | None = Field(default=None, description="Link shortening and handling of replies.")

    def steps(self) -> tuple[Step, ...]:
        """Return the channel steps in order; one SMS step with the gateway ``high`` when there is no flow."""
        return DEFAULT_STEPS if self.flow is None else tuple(step.step for step in self.flow)

    @model_validator(mode="after")
    def _has_what_its_steps_need(self) -> Self:
        if self.flow is not None:
            self._check_steps(self.flow)
        elif not self.body:
            raise PydanticCustomError("missing_body", "is required", {"field": "body"})
        return self

    def _check_steps(self, flow: list[FlowStep]) -> None:
        for index, step in enumerate(each.step for each in flow):
            path = f"flow[{index}].{step.channel}"
            if step.needs_body and not (self.body or step.body):
                field = "body" if len(flow) == 1 else f"{path}.body"
                raise PydanticCustomError("missing_body", "is required", {"field": field})
            if step.needs_sender and not (self.sender or step.sender):
                raise PydanticCustomError("missing_sender", "is required", {"field": f"{path}.sender"})


MESSAGES: Final = TypeAdapter(Annotated[list[MessageRequest], Field(min_length=1, max_length=MAX_MESSAGES)])
"""The body of ``/messages`` as a whole; the service validates item by item, the client sends with it."""
