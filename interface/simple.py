"""The parameters of the simple endpoints (specification 2.3)."""

from typing import Annotated, Any, Literal, get_args

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from interface import patterns
from interface.message import FlowStep, Gateway, MessageRequest, Recipient, SmsStep, UtcDatetime
from interface.texts import Body, Sender, Text

_Allowed = Literal[Gateway.HIGH, Gateway.LOWCOST, Gateway.DIRECT, Gateway.CUSTOM, Gateway.SIMHOST, Gateway.GSM]
_ALLOWED = get_args(_Allowed)


def _check_gateway(gateway: object) -> object:
    if gateway not in _ALLOWED:
        raise PydanticCustomError("gateway", f"must be one of {', '.join(_ALLOWED)}")
    return gateway


SimpleGateway = Annotated[Gateway, BeforeValidator(_check_gateway, json_schema_input_type=_Allowed)]
"""The gateways that the simple endpoints allow."""


class SimpleMessage(BaseModel):
    """One SMS to one recipient, as query parameters or form fields; empty ones count as absent."""

    model_config = ConfigDict(frozen=True, validate_by_name=True, validate_by_alias=True)

    phone_number: Annotated[str, StringConstraints(pattern=patterns.NOT_EMPTY, max_length=64)] = Field(
        validation_alias=AliasChoices("phone_number", "number"),
        serialization_alias="phone_number",
        description="Recipient; alias `number`.",
        examples=["420777123456"],
    )
    message: Body = Field(
        validation_alias=AliasChoices("message", "body"),
        serialization_alias="message",
        description="Text; alias `body`.",
        examples=["Your parcel arrives today."],
    )
    sender: Sender | None = Field(default=None, description="Sender; default the account's.")
    gateway: SimpleGateway = Field(default=Gateway.HIGH, description="Quality of the route.")
    datetime: UtcDatetime | None = Field(
        default=None,
        validation_alias=AliasChoices("datetime", "time"),
        serialization_alias="datetime",
        description="When to send, UTC; alias `time`.",
    )
    custom_id: Text | None = Field(
        default=None,
        alias="customID",
        description="Caller's id, returned in notifications as `customID` of the payload.",
    )

    @model_validator(mode="before")
    @classmethod
    def _without_empty_parameters(cls, data: Any) -> Any:  # noqa: ANN401 - whatever the caller validates
        return {name: value for name, value in data.items() if value != ""} if isinstance(data, dict) else data

    def to_message(self) -> MessageRequest:
        """Return the message object that these parameters stand for."""
        return MessageRequest(
            to=[Recipient(phone_number=self.phone_number)],
            body=self.message,
            sender=self.sender,
            payload=None if self.custom_id is None else {"customID": self.custom_id},
            datetime=self.datetime,
            flow=None if self.gateway is Gateway.HIGH else [FlowStep.of(SmsStep(gateway=self.gateway))],
        )


class SimpleQuery(SimpleMessage):
    """The query of ``GET /simple/message``, which may carry the key too (specification 5)."""

    apikey: str | None = Field(default=None, repr=False, description="The key, when no header carries it.")
