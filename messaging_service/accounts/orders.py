"""Orders of senders: what can be ordered, at which price, and who has what (details, "credit")."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from interface.field_errors import FieldError
from interface.orders import OrderRequest, SenderKind
from messaging_service.accounts.keys import Key
from messaging_service.accounts.money import Money, format_money, parse_money
from messaging_service.accounts.prices import PriceList, ServicePrice
from messaging_service.clock import Clock
from messaging_service.identifiers import new_id
from messaging_service.refusals import Conflict, InsufficientCredit, InvalidRequest, NotFound
from messaging_service.store import orders, wallets
from messaging_service.store.engine import Store

Order = Mapping[Any, Any]
"""An order as the table has it; without ``order_id`` it is a price only."""


@dataclass(frozen=True, slots=True)
class Orders:
    """Sells senders. Works on the store: not in the event loop."""

    store: Store
    clock: Clock
    prices: PriceList

    def services(self) -> list[dict[str, Any]]:
        """Return what can be ordered (``Service``), numbers that somebody has left out."""
        offers = [
            (kind, flow, price) for kind, flows in self.prices.file.services.items() for flow, price in flows.items()
        ]
        with self.store.reading() as connection:
            taken = orders.taken(connection, [value for _, _, price in offers for value in price.values])
        return [
            {
                "service": kind.value,
                "flow": flow.value,
                "price_czk": format_money(parse_money(price.price_czk)),
                "price_eur": format_money(parse_money(price.price_eur)),
                "values": [value for value in price.values if value not in taken],
            }
            for kind, flow, price in offers
        ]

    def price(self, key: Key, wanted: OrderRequest) -> Order:
        """Return what an order would cost. Raises InvalidRequest, and Conflict for a number that isn't free."""
        price = self._offer(wanted)
        with self.store.reading() as connection:
            if orders.active(connection, key.id, wanted.flow.value, wanted.value) is None:
                _check_free(connection, wanted)
        return _row(key, wanted, _amount(price, key))

    def order(self, key: Key, wanted: OrderRequest) -> Order:
        """Order a sender and charge it, once: a key that has it gets the order that it has.

        Raises InvalidRequest, Conflict for a number that isn't free, InsufficientCredit.
        """
        price = self._offer(wanted)
        row = _row(key, wanted, _amount(price, key)) | {"order_id": new_id(), "created_at": self.clock.now()}
        with self.store.writing() as connection:
            known = orders.active(connection, key.id, wanted.flow.value, wanted.value)
            if known is not None:
                return known
            if not orders.add(connection, row):  # at the same moment somebody ordered it: this key, or another
                known = orders.active(connection, key.id, wanted.flow.value, wanted.value)
                if known is None:
                    raise Conflict(_NOT_FREE)
                return known
            if not wallets.charge(connection, key.wallet_id, row["charged"]):
                raise InsufficientCredit
        return row

    def cancel(self, key: Key, order_id: str) -> Order:
        """End an order of a key. Raises NotFound for any other."""
        with self.store.writing() as connection:
            orders.cancel(connection, key.id, order_id, self.clock.now())
            order = orders.of_key(connection, key.id, order_id)
        if order is None:
            raise NotFound("This key has no such order.")
        return order

    def _offer(self, wanted: OrderRequest) -> ServicePrice:
        offer = self.prices.file.services.get(wanted.service, {}).get(wanted.flow)
        if offer is None:
            sentence = f"flow must be a channel for which /credit/services has a {wanted.service.value}."
            raise InvalidRequest([FieldError("flow", sentence)])
        if wanted.service is SenderKind.NUMBER and wanted.value not in offer.values:
            raise InvalidRequest([FieldError("value", "value must be one of the numbers of /credit/services.")])
        return offer


_NOT_FREE = "This number is not free."


def _check_free(connection: Connection, wanted: OrderRequest) -> None:
    if wanted.service is SenderKind.NUMBER and orders.taken(connection, [wanted.value]):
        raise Conflict(_NOT_FREE)


def _amount(price: ServicePrice, key: Key) -> Money:
    return parse_money(price.price_eur if key.currency == "eur" else price.price_czk)


def _row(key: Key, wanted: OrderRequest, amount: Money) -> dict[str, Any]:
    return {
        "order_id": None,
        "key_id": key.id,
        "wallet_id": key.wallet_id,
        "service": wanted.service.value,
        "flow": wanted.flow.value,
        "value": wanted.value,
        "charged": amount,
        "currency": key.currency,
        "created_at": None,
        "cancelled_at": None,
    }
