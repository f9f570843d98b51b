"""Senders that can be ordered: names and virtual numbers (details, "credit")."""

from enum import StrEnum
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from interface.flow_steps import Channel
from interface.message import UtcDatetime
from interface.null import OrDefault
from interface.queries import Identifier
from interface.responses import Counter, Response
from interface.texts import Sender

_EXAMPLE_ORDER = "0199f0c2-4e7c-7e4c-979f-0e5b7d1d3c9a"


class SenderKind(StrEnum):
    """What kind of sender is ordered."""

    NAME = "name"
    NUMBER = "number"


class Service(Response):
    """A sender that can be ordered, with what it costs once, without VAT. ``values``: the numbers that are free."""

    service: str = Field(examples=["number"], description="`name` or `number`.")
    flow: str = Field(examples=["sms"], description="The channel.")
    price_czk: Counter = Field(examples=["250.00"])
    price_eur: Counter = Field(examples=["10.00"])
    values: list[str] = Field(default=[], examples=[["447700900101"]])


class ServicesResponse(Response):
    """The envelope of ``GET /credit/services``."""

    success: bool
    services: list[Service] = Field(default=[])


class OrderRequest(BaseModel):
    """A sender to order for the calling key. ``dryrun`` says what it costs and orders nothing."""

    model_config = ConfigDict(
        frozen=True, json_schema_extra={"examples": [{"service": "name", "value": "Shop", "dryrun": True}]}
    )

    service: SenderKind
    value: Sender = Field(description="The name, or one of the free numbers.")
    flow: OrDefault[Channel] = Field(default=Channel.SMS, description="The channel it is for.")
    dryrun: OrDefault[bool] = Field(default=False, description="Whether only to tell the price.")

    @model_validator(mode="after")
    def _is_of_its_kind(self) -> Self:
        is_number = self.value.isascii() and self.value.isdigit()
        if is_number != (self.service is SenderKind.NUMBER):
            wanted = "a number in digits" if self.service is SenderKind.NUMBER else "a name, not a number"
            raise PydanticCustomError("sender_kind", "must be {wanted}", {"wanted": wanted, "field": "value"})
        return self


class Order(Response):
    """An order: ``price`` is what was charged, in ``currency``. ``order_id`` is null for a ``dryrun``."""

    order_id: str | None = Field(default=None, examples=[_EXAMPLE_ORDER])
    service: str = Field(examples=["name"])
    value: str = Field(examples=["Shop"])
    flow: str = Field(default="sms", examples=["sms"])
    price: Counter = Field(examples=["500.00"])
    currency: str = Field(examples=["CZK"])
    dryrun: bool = False
    ts_created: UtcDatetime | None = Field(default=None, examples=["2026-03-01T12:00:00.000Z"])
    ts_cancelled: UtcDatetime | None = None


class OrderResponse(Response):
    """The envelope of ``POST /credit/order`` and ``POST /credit/cancel``."""

    success: bool
    order: Order


class OrderCancel(BaseModel):
    """An order of the calling key to end; what was paid for it stays paid."""

    model_config = ConfigDict(frozen=True, json_schema_extra={"examples": [{"order_id": _EXAMPLE_ORDER}]})

    order_id: Annotated[Identifier, Field(description="`order_id` of the order.")]
