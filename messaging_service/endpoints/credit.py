"""Credit: ``/credit``, ``/credit/prices``, ``/credit/notify``, orders of senders (details, "credit")."""

import asyncio
from dataclasses import dataclass
from typing import Any

import orjson
from starlette.requests import Request
from starlette.responses import Response

from interface import calls
from interface.credit import CreditAlertUpdate
from interface.orders import OrderCancel, OrderRequest
from messaging_service.accounts.credit_alerts import CreditAlerts
from messaging_service.accounts.keys import Key
from messaging_service.accounts.money import format_money
from messaging_service.accounts.orders import Order, Orders
from messaging_service.accounts.prices import CountryPrice, PriceList
from messaging_service.clock import iso_or_none
from messaging_service.endpoints.auth import Authentication
from messaging_service.endpoints.bodies import read_model
from messaging_service.endpoints.problems import json_response, raw_json_response
from messaging_service.endpoints.serving import Handlers
from messaging_service.store import sub_keys, wallets
from messaging_service.store.engine import Store


@dataclass(frozen=True, slots=True)
class CreditCalls:
    """What does the work; ``vat`` is in percent, None where no invoices are issued."""

    store: Store
    prices: PriceList
    alerts: CreditAlerts
    orders: Orders
    vat: float | None


class CreditEndpoints:
    """Tells what is in a wallet and what things cost, sets the low-credit alert, sells senders."""

    def __init__(self, authentication: Authentication, credit: CreditCalls) -> None:
        self._authentication = authentication
        self._credit = credit
        self._prices = orjson.dumps({"success": True, "prices": _prices(credit.prices)})

    def handlers(self) -> Handlers:
        """Return the handler of each call."""
        return {
            calls.CREDIT: self.credit,
            calls.CREDIT_PRICES: self.prices,
            calls.CREDIT_ALERT: self.alert,
            calls.CREDIT_ALERT_SET: self.set_alert,
            calls.CREDIT_SERVICES: self.services,
            calls.CREDIT_ORDER: self.order,
            calls.CREDIT_CANCEL: self.cancel,
        }

    async def credit(self, request: Request) -> Response:
        """Tell what the wallet of the calling key holds."""
        key = await self._authentication.key_of(request)
        return await asyncio.to_thread(self._read_credit, key)

    async def prices(self, request: Request) -> Response:
        """Tell the price list."""
        await self._authentication.key_of(request)
        return raw_json_response(self._prices)

    async def alert(self, request: Request) -> Response:
        """Tell the low-credit alert of the calling key."""
        key = await self._authentication.key_of(request)
        return self._alert_response(key, await asyncio.to_thread(self._credit.alerts.read, key))

    async def set_alert(self, request: Request) -> Response:
        """Set the low-credit alert of the calling key."""
        key = await self._authentication.settings_key_of(request)
        wanted = await read_model(request, CreditAlertUpdate)
        return self._alert_response(key, await asyncio.to_thread(self._credit.alerts.write, key, wanted))

    async def services(self, request: Request) -> Response:
        """Tell which senders can be ordered."""
        await self._authentication.key_of(request)
        return json_response({"success": True, "services": await asyncio.to_thread(self._credit.orders.services)})

    async def order(self, request: Request) -> Response:
        """Order a sender, or only tell what it costs."""
        key = await self._authentication.settings_key_of(request)
        wanted = await read_model(request, OrderRequest)
        orders = self._credit.orders
        order = await asyncio.to_thread(orders.price if wanted.dryrun else orders.order, key, wanted)
        return _order_response(order)

    async def cancel(self, request: Request) -> Response:
        """End an order."""
        key = await self._authentication.settings_key_of(request)
        wanted = await read_model(request, OrderCancel)
        return _order_response(await asyncio.to_thread(self._credit.orders.cancel, key, wanted.order_id))

    def _alert_response(self, key: Key, alert: dict[str, Any]) -> Response:
        shortcoming = self._credit.alerts.shortcoming(key) if alert["enable"] else None
        message = {} if shortcoming is None else {"message": shortcoming}
        return json_response({"success": True, "notify": alert, **message})

    def _read_credit(self, key: Key) -> Response:
        with self._credit.store.reading() as connection:
            held = format_money(wallets.shown_balance(connection, key.wallet_id))
            billing_id = sub_keys.own_billing_id(connection, key.id)
        factors = {gateway.value: factor for gateway, factor in self._credit.prices.file.gateways.items()}
        credit = {
            "priceLevels": factors,
            "credit_czk": held if key.currency == "czk" else "0.00",
            "credit_eur": held if key.currency == "eur" else "0.00",
            "billing_id": billing_id,
            "vat": self._credit.vat,
            "currency": key.currency.upper(),
            "tz": key.time_zone,
        }
        return json_response({"success": True, "credit": credit})


def _prices(prices: PriceList) -> dict[str, Any]:
    return {
        channel.value: {code: _country_price(price) for code, price in countries.items()}
        for channel, countries in prices.file.prices.items()
    }


def _country_price(price: CountryPrice) -> dict[str, Any]:
    operators = {
        str(mnc): {"price_czk": operator.price_czk, "price_eur": operator.price_eur}
        for mnc, operator in price.operators.items()
    }
    return {
        "mcc": price.mcc or None,
        "price_czk": price.price_czk,
        "price_eur": price.price_eur,
        "operators": operators,
    }


def _order_response(order: Order) -> Response:
    shown = {
        "order_id": order["order_id"],
        "service": order["service"],
        "value": order["value"],
        "flow": order["flow"],
        "price": format_money(order["charged"]),
        "currency": order["currency"].upper(),
        "dryrun": order["order_id"] is None,
        "ts_created": iso_or_none(order["created_at"]),
        "ts_cancelled": iso_or_none(order["cancelled_at"]),
    }
    return json_response({"success": True, "order": shown})
