"""The price list: what a part costs, by channel, country and network. Read from a file, checked when it is read."""

import tomllib
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from interface.field_errors import field_errors
from interface.flow_steps import Channel, Gateway
from interface.orders import SenderKind
from interface.phone_numbers import Country
from messaging_service.accounts.money import Money, parse_money

SHIPPED = Path(__file__).with_name("prices.toml")

_Amount = Annotated[str, Field(pattern=r"^\d{1,9}(\.\d{1,6})?$")]


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class OperatorPrice(_Entry):
    """A network's own price; its numbers begin with one of ``prefixes``."""

    prefixes: list[str] = []
    price_czk: _Amount
    price_eur: _Amount


class CountryPrice(_Entry):
    """A country's price, for networks that have none of their own."""

    mcc: int = 0
    price_czk: _Amount
    price_eur: _Amount
    operators: dict[int, OperatorPrice] = {}


class TestPrice(_Entry):
    """The symbolic price of the gateway ``test``."""

    __test__ = False

    price_czk: _Amount
    price_eur: _Amount


class ServicePrice(_Entry):
    """What a sender costs, once; ``values`` are the virtual numbers that there are."""

    price_czk: _Amount
    price_eur: _Amount
    values: list[Annotated[str, Field(pattern=r"^[1-9]\d{2,14}$")]] = []


class PriceFile(_Entry):
    """The price list as it is written."""

    gateways: dict[Gateway, _Amount] = {}
    test: TestPrice
    prices: dict[Channel, dict[str, CountryPrice]]
    services: dict[SenderKind, dict[Channel, ServicePrice]] = {}


@dataclass(frozen=True, slots=True)
class Price:
    """What one part costs, and to which network (``mnc`` is 0 where it is unknown)."""

    czk: Money
    eur: Money
    mcc: int
    mnc: int

    def times(self, parts: int) -> "Price":
        """Return the price of several parts."""
        return Price(self.czk * parts, self.eur * parts, self.mcc, self.mnc)

    def in_currency(self, currency: str) -> Money:
        """Return the amount that a wallet of this currency pays."""
        return self.eur if currency == "eur" else self.czk


class PriceList:
    """Answers what a message costs."""

    def __init__(self, file: PriceFile) -> None:
        self.file = file
        self._factors = {gateway: Decimal(factor) for gateway, factor in file.gateways.items()}
        self._entry = lru_cache(maxsize=4096)(self._find_entry)

    def price(self, channel: Channel, gateway: Gateway | None, number: str, country: Country) -> Price | None:
        """Return the price of one part to a normalised number, None where the list has no price for its country."""
        entry = self._entry(channel, country.calling_code)
        if entry is None:
            return None
        mnc, priced = _network(entry, number)
        if gateway is Gateway.TEST:
            priced = self.file.test
        factor = self._factors.get(gateway, Decimal(1)) if gateway else Decimal(1)
        return _price(priced.price_czk, priced.price_eur, factor, (country.mcc or entry.mcc, mnc))

    def _find_entry(self, channel: Channel, calling_code: str) -> CountryPrice | None:
        countries = self.file.prices.get(channel, {})
        return countries.get(calling_code) or countries.get("default")


@lru_cache(maxsize=4096)
def _price(czk: str, eur: str, factor: Decimal, network: tuple[int, int]) -> Price:
    return Price(int(parse_money(czk) * factor), int(parse_money(eur) * factor), *network)


def _network(entry: CountryPrice, number: str) -> tuple[int, CountryPrice | OperatorPrice | TestPrice]:
    for mnc, operator in entry.operators.items():
        if number.startswith(tuple(operator.prefixes)):
            return mnc, operator
    return 0, entry


def read_prices(path: Path) -> PriceList:
    """Read a price list. Raises ValueError with a sentence that names the file and the field."""
    try:
        return PriceList(PriceFile.model_validate(tomllib.loads(path.read_text("utf-8"))))
    except OSError as error:
        raise ValueError(f"DOVECOTE_PRICES: {path} can't be read: {error.strerror}.") from None
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"DOVECOTE_PRICES: {path} isn't TOML: {error}.") from None
    except ValidationError as error:
        raise ValueError(f"DOVECOTE_PRICES: {path}: {field_errors(error)[0].message}") from None
