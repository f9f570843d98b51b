"""Sub-keys: made, listed, changed and blocked by their parent (specification 2.9, details "keys")."""

from typing import Annotated, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import PydanticCustomError

from interface import patterns
from interface.account import Currency, Scope, UrlOrEmpty
from interface.credit import Email
from interface.message import UtcDatetime
from interface.null import OrDefault
from interface.queries import Identifier
from interface.responses import Response
from interface.texts import Text

_KEY_EXAMPLE = "9f2c…41d7"
_CurrencyCode = Annotated[Currency, BeforeValidator(lambda value: value.upper() if isinstance(value, str) else value)]
_Line = Annotated[str, StringConstraints(pattern=patterns.LINE, max_length=200)]


class ApikeyAdd(BaseModel):
    """A new sub-key. ``shared`` spends from the parent's wallet; else it gets one of its own, and a billing record.

    With ``shared`` the ``billing_…`` fields mean nothing, and ``currency`` must be the parent's.
    """

    model_config = ConfigDict(
        frozen=True, json_schema_extra={"examples": [{"shared": True, "note": "shop", "scope": "api"}]}
    )

    shared: OrDefault[bool] = Field(default=True, description="Whether it spends from the parent's wallet.")
    billing_name: OrDefault[_Line] = Field(default="", description="Name of the new billing record.")
    billing_email: Email | None = Field(default=None, description="E-mail address of the new billing record.")
    billing_id: Identifier | None = Field(default=None, description="A billing record of the parent, instead of a new.")
    currency: _CurrencyCode | None = Field(default=None, description="Absent: the parent's.")
    app_userid: Annotated[str, StringConstraints(pattern=patterns.NOT_EMPTY, max_length=255)] | None = Field(
        default=None,
        description="The caller's own name for whoever uses the key: the same one gets the same key again.",
    )
    note: OrDefault[Annotated[Text, Field(max_length=1000)]] = Field(default="", description="Label of the key.")
    scope: OrDefault[Scope] = Scope.FULL
    share_senders: OrDefault[bool] = Field(
        default=False, description="Whether the parent's senders are the sub-key's, too."
    )
    default_callback_url: OrDefault[UrlOrEmpty] = Field(default="", description="Fallback address for notifications.")


class ApikeyAdded(Response):
    """A sub-key; ``billing_id`` is null when it shares its parent's wallet."""

    success: bool
    apikey: str = Field(examples=["0d4c5b6a7f80…"], repr=False)
    billing_id: str | None = Field(default=None, examples=["b-7f0c2a4e7c1e4c57"])


class SubKey(Response):
    """A sub-key. ``apikey`` is its first and last four characters: keys are kept nowhere, so they can't be told."""

    apikey: str = Field(examples=[_KEY_EXAMPLE])
    subid: str = Field(default="", description="Its name in `subid` parameters.", examples=["sub-1"])
    note: str | None = Field(default=None, examples=["shop"])
    scope: str = Scope.FULL
    shared: bool = True
    share_senders: bool = False
    is_blocked: bool = False
    default_callback_url: str | None = Field(default=None, examples=["https://example.com/results"])
    currency: str | None = Field(default=None, examples=["CZK"])
    billing_id: str | None = None
    app_userid: str | None = Field(default=None, examples=["customer-17"])
    ts_created: UtcDatetime | None = Field(default=None, examples=["2026-03-01T12:00:00.000Z"])


class ApikeyListResponse(Response):
    """The envelope of ``GET /apikey/list``: the calling key's sub-keys, the oldest first."""

    success: bool
    list_: list[SubKey] = Field(default=[], alias="list")


def _stripped(text: str) -> str:
    return text.strip()


class ApikeyChange(BaseModel):
    """What is to change about a sub-key: ``scope``, ``disable``, or both."""

    model_config = ConfigDict(
        frozen=True, json_schema_extra={"examples": [{"apikey": _KEY_EXAMPLE, "scope": "api", "disable": 1}]}
    )

    apikey: Annotated[str, StringConstraints(pattern=patterns.NOT_EMPTY, max_length=255), AfterValidator(_stripped)] = (
        Field(repr=False, description="The key itself, or `apikey` or `subid` of `/apikey/list`.")
    )
    scope: Scope | None = None
    disable: Annotated[bool, WithJsonSchema({"enum": [0, 1, False, True]})] | None = Field(
        default=None, description="1 blocks the key at once, 0 lets it call again."
    )

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        if self.scope is None and self.disable is None:
            raise PydanticCustomError("nothing_to_change", "must hold scope, disable or both")
        return self
