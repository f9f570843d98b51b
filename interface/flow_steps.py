"""The channels of a flow and the options of each (specification 2.1, details "Message request object")."""

from enum import StrEnum
from typing import Annotated, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from interface import patterns
from interface.null import OrDefault
from interface.texts import Body, HttpUrl, Sender, Text


class Channel(StrEnum):
    """A way to a recipient; the one key of a flow step."""

    SMS = "sms"
    VIBER = "viber"
    WHATSAPP_TEXT = "whatsapp_text"
    WHATSAPP_TEMPLATE = "whatsapp_template"
    RCS = "rcs"


class Gateway(StrEnum):
    """The quality of SMS route; ``test`` simulates delivery with full notifications at a symbolic price."""

    HIGH = "high"
    LOWCOST = "lowcost"
    DIRECT = "direct"
    CUSTOM = "custom"
    SIMHOST = "simhost"
    GSM = "gsm"
    TEST = "test"


class TtlCondition(StrEnum):
    """The result a step must reach within its ``ttl``, else the next step is used."""

    SENT = "sent"
    DELIVERED = "delivered"
    SEEN = "seen"


class SmsType(StrEnum):
    """``utf`` keeps Unicode; ``sms`` transliterates to the GSM 7-bit alphabet."""

    UTF = "utf"
    SMS = "sms"


_Ttl = Annotated[float, Field(strict=True, ge=0.5, le=525_600, allow_inf_nan=False)]
_Required = Annotated[str, StringConstraints(pattern=patterns.NOT_EMPTY)]
_Values = Annotated[list[Text], Field(max_length=100)]


class Step(BaseModel):
    """What every channel step carries. ``ttl`` is in minutes, at least 0.5 and at most a year."""

    model_config = ConfigDict(frozen=True)

    channel: ClassVar[Channel]
    needs_body: ClassVar[bool] = True
    needs_sender: ClassVar[bool] = False

    body: Body | None = Field(default=None, description="Text of this step; overrides the message's.")
    sender: Sender | None = Field(default=None, description="Sender of this step; overrides the message's.")
    ttl: _Ttl | None = Field(default=None, description="Minutes to wait for `ttl_condition` before the next step.")
    ttl_condition: OrDefault[TtlCondition] = Field(
        default=TtlCondition.DELIVERED, description="What must happen within `ttl`."
    )


class SmsStep(Step):
    """Send as SMS."""

    channel: ClassVar[Channel] = Channel.SMS

    ttl_condition: OrDefault[TtlCondition] = Field(
        default=TtlCondition.SENT, description="What must happen within `ttl`."
    )
    gateway: OrDefault[Gateway] = Field(default=Gateway.HIGH, description="Quality of the route.")
    type: OrDefault[SmsType] = Field(default=SmsType.UTF, description="Keep Unicode, or transliterate to GSM 7-bit.")


class ViberButton(BaseModel):
    """The button under a Viber message."""

    model_config = ConfigDict(frozen=True)

    title: _Required = Field(description="What stands on the button.", examples=["To the shop"])
    url: HttpUrl = Field(description="Where it leads.", examples=["https://shop.example/spring"])


class ViberStep(Step):
    """Send through Viber; needs a sender of its own or of the message."""

    channel: ClassVar[Channel] = Channel.VIBER
    needs_sender: ClassVar[bool] = True

    buttons: list[ViberButton] | None = Field(default=None, max_length=1, description="At most one button.")


class WhatsappTextStep(Step):
    """Send as WhatsApp text; possible within 24 h of the recipient's last inbound message."""

    channel: ClassVar[Channel] = Channel.WHATSAPP_TEXT
    needs_sender: ClassVar[bool] = True


class WhatsappTemplateStep(Step):
    """Send an approved WhatsApp template, which brings its own text."""

    channel: ClassVar[Channel] = Channel.WHATSAPP_TEMPLATE
    needs_body: ClassVar[bool] = False
    needs_sender: ClassVar[bool] = True

    template_name: Annotated[_Required, Field(max_length=100)] = Field(
        description="Name of an approved template.", examples=["parcel_on_its_way"]
    )
    language: Annotated[_Required, Field(max_length=100)] = Field(examples=["cs", "en_US"])
    params: _Values | None = Field(default=None, description="Values for the places of the template's text.")
    params_header: _Values | None = Field(default=None, description="Values for the places of its header.")
    params_buttons: _Values | None = Field(default=None, description="Values for the places of its buttons.")


class RcsStep(Step):
    """Send as RCS."""

    channel: ClassVar[Channel] = Channel.RCS


class FlowStep(BaseModel):
    """One step of a flow: an object with exactly one key, the channel."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        json_schema_extra={"minProperties": 1, "maxProperties": 1, "examples": [{"sms": {"gateway": "high"}}]},
    )

    sms: SmsStep | None = None
    viber: ViberStep | None = None
    whatsapp_text: WhatsappTextStep | None = None
    whatsapp_template: WhatsappTemplateStep | None = None
    rcs: RcsStep | None = None

    @model_validator(mode="after")
    def _has_exactly_one_channel(self) -> Self:
        if len(self.__pydantic_fields_set__) != 1 or self._given() is None:
            raise PydanticCustomError("one_channel", f"must have exactly one channel: {', '.join(Channel)}")
        return self

    def _given(self) -> Step | None:
        return self.sms or self.viber or self.whatsapp_text or self.whatsapp_template or self.rcs

    @property
    def step(self) -> Step:
        """The options of the step's one channel; its ``channel`` says which."""
        given = self._given()
        if given is None:
            raise TypeError("a flow step holds exactly one channel")
        return given

    @classmethod
    def of(cls, step: Step) -> Self:
        """Wrap the options of a channel as the step of a flow."""
        return cls.model_validate({step.channel.value: step})
