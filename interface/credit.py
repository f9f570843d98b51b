"""Credit, prices and the low-credit alert of the account REST API (details, "credit")."""

from decimal import Decimal, InvalidOperation
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, StringConstraints, WithJsonSchema
from pydantic_core import PydanticCustomError

from interface import patterns
from interface.responses import Counter, Response

_MOST = Decimal(1_000_000_000)
_PLACES = 6


def _amount(value: object) -> Decimal:
    try:
        amount = Decimal(str(value)) if isinstance(value, str | int | float | Decimal) else Decimal(-1)
    except InvalidOperation:
        amount = Decimal(-1)
    exponent = amount.normalize().as_tuple().exponent if amount.is_finite() else None
    if isinstance(value, bool) or not isinstance(exponent, int) or not 0 < amount <= _MOST or exponent < -_PLACES:
        raise PydanticCustomError("amount", "must be an amount above 0 with at most six decimal places, such as 50.00")
    return amount


_AMOUNT_SCHEMA = {
    "anyOf": [
        {"type": "number", "minimum": 0.01, "maximum": int(_MOST), "multipleOf": 0.01},
        {"type": "string", "pattern": r"^(0\.\d{0,5}[1-9]|[1-9]\d{0,8}(\.\d{1,6})?)$"},
    ]
}
Amount = Annotated[
    Decimal,
    BeforeValidator(_amount),
    PlainSerializer(lambda amount: f"{amount:f}", return_type=str),
    WithJsonSchema(_AMOUNT_SCHEMA),
]
"""An amount of money above zero; a number, or its text."""

Email = Annotated[str, StringConstraints(pattern=patterns.EMAIL)]
"""An e-mail address, one."""


class Credit(Response):
    """What the wallet of the calling key holds: the amount is in ``currency``, the other one is ``0.00``.

    ``priceLevels`` is the factor of the list price by gateway, ``vat`` is in percent, ``tz`` an IANA name.
    """

    priceLevels: Any = Field(  # noqa: N815 - the name on the wire
        default={}, description="Factor of the list price, by gateway.", examples=[{"high": "1", "lowcost": "0.7"}]
    )
    credit_czk: Counter = Field(default="0.00", examples=["1000.00"])
    credit_eur: Counter = Field(default="0.00", examples=["0.00"])
    billing_id: str | None = Field(default=None, examples=["b-7f0c2a4e7c1e4c57"])
    vat: float | None = None
    currency: str | None = Field(default=None, examples=["CZK"])
    tz: str | None = Field(default=None, examples=["Europe/Prague"])


class CreditResponse(Response):
    """The envelope of ``GET /credit``."""

    success: bool
    credit: Credit


class NetworkPrice(Response):
    """The price of a part to one network."""

    price_czk: Counter = Field(default="0", examples=["0.87"])
    price_eur: Counter = Field(default="0", examples=["0.0348"])


class CountryPrice(NetworkPrice):
    """The price of a part to a country; ``operators`` are networks with a price of their own, by MNC."""

    mcc: int | None = Field(default=None, examples=[230])
    operators: dict[str, NetworkPrice] = Field(
        default={}, examples=[{"3": {"price_czk": "0.87", "price_eur": "0.0348"}}]
    )


class PricesResponse(Response):
    """The envelope of ``GET /credit/prices``: by channel, then by calling code; ``default`` is any other country."""

    success: bool
    prices: dict[str, dict[str, CountryPrice]] = Field(
        default={},
        examples=[
            {
                "sms": {
                    "420": {
                        "mcc": 230,
                        "price_czk": "0.85",
                        "price_eur": "0.034",
                        "operators": {"3": {"price_czk": "0.87", "price_eur": "0.0348"}},
                    }
                }
            }
        ],
    )


class CreditAlert(Response):
    """The low-credit alert of the calling key: below ``value``, in the wallet's currency, it is told once."""

    email: str = Field(default="", examples=["owner@example.com"])
    value: Counter | None = Field(default=None, examples=["50.00"])
    enable: bool = False


class CreditAlertResponse(Response):
    """The envelope of ``GET`` and ``POST /credit/notify``; ``message`` says what keeps it from being told."""

    success: bool
    notify: CreditAlert
    message: str | None = None


class CreditAlertUpdate(BaseModel):
    """A new low-credit alert. What is absent stays as it is; the first time ``email`` and ``value`` are needed."""

    model_config = ConfigDict(
        frozen=True, json_schema_extra={"examples": [{"email": "owner@example.com", "value": 50, "enable": True}]}
    )

    email: Email | None = Field(default=None, description="Who is told by e-mail.")
    value: Amount | None = Field(default=None, description="In the wallet's currency, above 0.")
    enable: bool | None = Field(default=None, description="Whether it is on, as it is the first time; also 0 and 1.")
