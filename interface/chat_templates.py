"""Templates of messaging apps: made from a platform's library, approved by the platform (specification 2.9, 4.3)."""

from enum import StrEnum
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from interface import patterns
from interface.message import UtcDatetime
from interface.null import OrDefault
from interface.queries import Query
from interface.responses import Response
from interface.texts import HttpUrl

_EXAMPLE_WABA = "102290129340398"
_EXAMPLE_ID = "1689556908129832"
_MOMENT = Field(default=None, examples=["2026-03-01T12:00:00.000Z"])

WabaId = Annotated[str, StringConstraints(pattern=patterns.BUSINESS_ACCOUNT)]
"""The platform's name of a business account: 1 to 64 letters, digits, dots, hyphens and underscores."""
TemplateName = Annotated[str, StringConstraints(pattern=patterns.TEMPLATE_NAME)]
"""1 to 100 lower-case letters, digits and underscores."""
TemplateLanguage = Annotated[str, StringConstraints(pattern=patterns.LOCALE)]
"""A locale code such as ``cs`` or ``en_US``."""


class TemplateCategory(StrEnum):
    """What a template is for; the platform prices and approves by it."""

    AUTHENTICATION = "AUTHENTICATION"
    MARKETING = "MARKETING"
    UTILITY = "UTILITY"


class TemplateStatus(StrEnum):
    """Where the approval of a template is. Each value says who moves it there."""

    PENDING = "PENDING"  # the account created it
    APPROVED = "APPROVED"  # the platform approved it: it may be sent
    REJECTED = "REJECTED"  # the platform rejected it


class ButtonType(StrEnum):
    """What a template's button does."""

    URL = "URL"
    PHONE_NUMBER = "PHONE_NUMBER"
    QUICK_REPLY = "QUICK_REPLY"


class ButtonUrl(BaseModel):
    """Where a button leads; ``{{1}}`` in ``base_url`` is filled in by each message (``params_buttons``)."""

    model_config = ConfigDict(frozen=True)

    base_url: HttpUrl = Field(examples=["https://shop.example/orders/{{1}}"])
    url_suffix_example: Annotated[str, StringConstraints(max_length=2000)] | None = Field(
        default=None, examples=["https://shop.example/orders/17"]
    )


class ButtonInput(BaseModel):
    """What the library leaves open about a button: its address, or the number that it calls."""

    model_config = ConfigDict(frozen=True)

    type: ButtonType
    url: ButtonUrl | None = Field(default=None, description="Required by `URL`.")
    phone_number: Annotated[str, StringConstraints(pattern=patterns.TELEPHONE)] | None = Field(
        default=None, description="Required by `PHONE_NUMBER`."
    )

    @model_validator(mode="after")
    def _has_what_its_type_needs(self) -> Self:
        if self.type is ButtonType.URL and self.url is None:
            raise PydanticCustomError("missing", "is required", {"field": "url"})
        if self.type is ButtonType.PHONE_NUMBER and self.phone_number is None:
            raise PydanticCustomError("missing", "is required", {"field": "phone_number"})
        return self


class LibraryTemplate(BaseModel):
    """A template to make from one of the platform's library, in one language."""

    model_config = ConfigDict(frozen=True)

    name: TemplateName = Field(description="Your name of it, by which steps name it.", examples=["parcel_on_its_way"])
    language: TemplateLanguage = Field(description="Locale code.", examples=["en_US"])
    category: TemplateCategory = Field(examples=["UTILITY"])
    library_template_name: TemplateName = Field(description="The library's name of it.", examples=["delivery_update_1"])
    library_template_button_inputs: OrDefault[list[ButtonInput]] = Field(
        default=[], max_length=10, description="One for each button that the library leaves open, in order."
    )


class TemplateCreate(BaseModel):
    """Which business account a template is for, and what to make it from."""

    model_config = ConfigDict(
        frozen=True,
        json_schema_extra={
            "examples": [
                {
                    "waba_id": _EXAMPLE_WABA,
                    "template": {
                        "name": "parcel_on_its_way",
                        "language": "en_US",
                        "category": "UTILITY",
                        "library_template_name": "delivery_update_1",
                        "library_template_button_inputs": [
                            {
                                "type": "URL",
                                "url": {
                                    "base_url": "https://shop.example/orders/{{1}}",
                                    "url_suffix_example": "https://shop.example/orders/17",
                                },
                            },
                        ],
                    },
                },
            ],
        },
    )

    waba_id: WabaId = Field(description="The business account.")
    template: LibraryTemplate


class TemplateDelete(BaseModel):
    """Which template to delete, in all its languages."""

    model_config = ConfigDict(
        frozen=True,
        json_schema_extra={"examples": [{"waba_id": _EXAMPLE_WABA, "template_name": "parcel_on_its_way"}]},
    )

    waba_id: WabaId = Field(description="The business account.")
    template_name: TemplateName = Field(description="Your name of it; all its languages are deleted.")


class TemplateCreated(Response):
    """A template that the platform took. ``success`` is false, with a ``message``, when it didn't."""

    success: bool
    template_id: str | None = Field(default=None, examples=[_EXAMPLE_ID])
    status: str | None = Field(default=None, examples=["PENDING"])
    category: str | None = Field(default=None, examples=["UTILITY"])
    message: str | None = Field(default=None, description="Why not, when `success` is false.", examples=[None])


class TemplateDeleted(Response):
    """Whether the template is gone, in a sentence."""

    success: bool
    message: str = Field(default="", examples=["Template parcel_on_its_way deleted"])


class TemplateParameters(Response):
    """How many values a message must bring for each part of a template."""

    body: int = Field(default=0, description="For `params`.", examples=[2])
    header: int = Field(default=0, description="For `params_header`.")
    buttons: int = Field(default=0, description="For `params_buttons`.", examples=[1])


class ChatTemplate(Response):
    """A template of the account in one language; ``reason`` says why it was rejected."""

    template_id: str = Field(examples=[_EXAMPLE_ID])
    waba_id: str = Field(examples=[_EXAMPLE_WABA])
    name: str = Field(examples=["parcel_on_its_way"])
    language: str = Field(examples=["en_US"])
    category: str = Field(examples=["UTILITY"])
    status: str = Field(examples=["APPROVED"])
    reason: str | None = None
    library_template_name: str | None = Field(default=None, examples=["delivery_update_1"])
    parameters: TemplateParameters = TemplateParameters()
    ts_created: UtcDatetime | None = _MOMENT
    ts_updated: UtcDatetime | None = _MOMENT


class TemplatesResponse(Response):
    """The envelope of ``GET /chatapp/templates``, by name and language."""

    success: bool
    templates: list[ChatTemplate] = Field(default=[])


class TemplatesQuery(Query):
    """``GET /chatapp/templates``."""

    waba_id: WabaId | None = Field(default=None, description="Only of this business account.")
    name: TemplateName | None = Field(default=None, description="Only the languages of this template.")
