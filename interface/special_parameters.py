"""The special parameters of a message: link shortening and handling of replies (details, ``params``)."""

from enum import StrEnum
from typing import Annotated

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, StringConstraints

from interface import patterns
from interface.null import OrDefault
from interface.texts import HttpUrl, Text


class LinkType(StrEnum):
    """Which links of a text are shortened: complete URLs only, or everything that looks like one."""

    FULL = "full"
    ALL = "all"


class LinkEnhancement(StrEnum):
    """What is appended to the target of a shortened link: the message id, or the short code."""

    ID = "id"
    CODE = "code"


class LinkShortening(BaseModel):
    """``params._url``: shorten the links of the text and count clicks."""

    model_config = ConfigDict(frozen=True, validate_by_name=True, validate_by_alias=True)

    type: OrDefault[LinkType] = Field(default=LinkType.FULL, description="Which links of the text are shortened.")
    domain: Annotated[str, StringConstraints(pattern=patterns.HOST)] | None = Field(
        default=None, description="Host of the short links; it must lead to the service.", examples=["go.example.com"]
    )
    get_enhance: LinkEnhancement | None = Field(default=None, description="Appended to the target's query.")
    get_name: OrDefault[Annotated[str, StringConstraints(pattern=patterns.QUERY_NAME)]] = Field(
        default="_", description="The name under which it is appended."
    )
    expires_at: Annotated[int, Field(strict=True, ge=0, le=253_402_300_799)] | None = Field(
        default=None,
        validation_alias=AliasChoices("expires_at", "expires"),
        serialization_alias="expires_at",
        description="Unix time in seconds; default 7 days after sending.",
    )


class IncomingHandling(BaseModel):
    """``params._incoming``: what happens to replies to this message."""

    model_config = ConfigDict(frozen=True)

    email_to: Annotated[str, StringConstraints(pattern=patterns.EMAIL_OF_ANSWERS, max_length=254)] | None = Field(
        default=None, description="E-mail address to which replies are passed on."
    )
    callback: HttpUrl | None = Field(default=None, description="Address told of replies, instead of the message's.")
    reply: dict[Text, Text] | None = Field(default=None, description="Keyword to the text it is answered with.")


class SpecialParameters(BaseModel):
    """The object ``params`` of a message."""

    model_config = ConfigDict(frozen=True, validate_by_name=True, validate_by_alias=True)

    url: LinkShortening | None = Field(default=None, alias="_url")
    incoming: IncomingHandling | None = Field(default=None, alias="_incoming")
