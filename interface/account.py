"""Key settings and the blacklist and opt-out lists of the account REST API (specification 2.9, 4.3)."""

from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from interface import patterns
from interface.responses import Response
from interface.texts import SenderOrEmpty, Text, check_http_url


class Scope(StrEnum):
    """What a key may do: everything, the REST API, or only send and read."""

    FULL = "full"
    REST_API = "rest-api"
    API = "api"


class Currency(StrEnum):
    """The currencies in which an account is kept."""

    CZK = "CZK"
    EUR = "EUR"


class SenderEntry(Response):
    """A sender that the key may use; ``flow`` is the channel."""

    flow: str = Field(examples=["sms"])
    value: str = Field(examples=["Dovecote"])
    name: str | None = Field(default=None, examples=["Dovecote"])


class ApikeyMe(Response):
    """The calling key: its settings and the account it belongs to; ``vat`` is in percent, ``tz`` an IANA name."""

    note: str | None = Field(default=None, examples=["shop"])
    default_callback_url: str | None = Field(default=None, examples=["https://example.com/results"])
    account: str | None = Field(default=None, examples=["First account"])
    scope: str = Scope.FULL
    share_senders: bool = False
    is_blocked: bool = False
    senders: list[SenderEntry] = Field(default=[])
    vat: float | None = None
    currency: str | None = Field(default=None, examples=["CZK"])
    tz: str | None = Field(default=None, examples=["Europe/Prague"])


class ApikeyMeResponse(Response):
    """The envelope of ``GET /apikey/me``."""

    success: bool
    me: ApikeyMe


def _http_url_or_empty(text: str) -> str:
    return check_http_url(text) if text else text


UrlOrEmpty = Annotated[str, StringConstraints(max_length=2000), AfterValidator(_http_url_or_empty)]
"""An http or https address, or nothing where that deletes it."""


class ApikeyUpdate(BaseModel):
    """New settings of the calling key. Both required fields must be present; an empty string deletes the value."""

    model_config = ConfigDict(
        frozen=True,
        json_schema_extra={
            "examples": [{"default_callback_url": "https://example.com/results", "note": "shop"}],
        },
    )

    default_callback_url: UrlOrEmpty = Field(
        description="Fallback address for notifications.",
    )
    note: Annotated[Text, Field(max_length=1000)] = Field(description="Label of the key; empty deletes it.")
    default_callback_secret: Annotated[Text, Field(max_length=1000)] | None = Field(
        default=None,
        repr=False,
        description="Signs notifications (`X-Request-Signature`).",
    )
    default_sender: SenderOrEmpty | None = Field(
        default=None, description="Sender of messages that name none; empty deletes it, absent: as it was."
    )


class Success(Response):
    """The answer of a call that only succeeds."""

    success: bool


def _default_if_empty(value: object) -> object:
    return "default" if value is None or value == "" else value


_Subid = Annotated[
    Text,
    Field(max_length=100),
    BeforeValidator(_default_if_empty, json_schema_input_type=Annotated[str, Field(max_length=100)] | None),
]


class ListSubmission(BaseModel):
    """Numbers for the blacklist or the opt-out list."""

    model_config = ConfigDict(frozen=True, json_schema_extra={"examples": [{"to": "420777123456\n420777123457"}]})

    to: Annotated[str, StringConstraints(pattern=patterns.NOT_EMPTY)] = Field(description="Numbers, one a line.")
    subid: _Subid = Field(default="default", description="Sub-account.")

    def numbers(self) -> list[str]:
        """Return the numbers as they were written, without empty lines."""
        return [line for line in map(str.strip, self.to.splitlines()) if line]


class ListResponse(Response):
    """How many numbers were taken, and those that aren't numbers."""

    success: bool
    accepted: int = Field(default=0, examples=[2])
    invalid: list[str] = Field(default=[])
