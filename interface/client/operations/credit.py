"""Credit, prices and orders (details, "credit")."""

from collections.abc import Mapping

from interface import calls
from interface.client.operations.operation import Operation, Sent, operation
from interface.credit import CountryPrice, Credit, CreditAlert, CreditAlertUpdate
from interface.orders import Order, OrderCancel, OrderRequest, Service


def credit() -> Operation[Credit]:
    """Return what is in the wallet of the calling key, as decimal text."""
    return operation(calls.CREDIT, Sent(), lambda answer: answer.credit)


def credit_prices() -> Operation[Mapping[str, Mapping[str, CountryPrice]]]:
    """Return the price list: what a part costs, without VAT, by channel (``sms``) and calling code (``420``)."""
    return operation(calls.CREDIT_PRICES, Sent(), lambda answer: answer.prices)


def credit_alert() -> Operation[CreditAlert]:
    """Return the low-credit alert of the calling key."""
    return operation(calls.CREDIT_ALERT, Sent(), lambda answer: answer.notify)


def set_credit_alert(alert: CreditAlertUpdate) -> Operation[CreditAlert]:
    """Set the low-credit alert of the calling key, and return it as it is then; what is None stays as it is."""
    return operation(calls.CREDIT_ALERT_SET, Sent(body=alert), lambda answer: answer.notify)


def credit_services() -> Operation[list[Service]]:
    """Return the senders that can be ordered."""
    return operation(calls.CREDIT_SERVICES, Sent(), lambda answer: answer.services)


def credit_order(order: OrderRequest) -> Operation[Order]:
    """Order a sender, or only ask what it costs (``dryrun``).

    A `Refused` of status 402 when credit doesn't suffice, a `Conflict` when the number isn't free.
    """
    return operation(calls.CREDIT_ORDER, Sent(body=order), lambda answer: answer.order)


def credit_cancel(order_id: str) -> Operation[Order]:
    """Cancel an order of the calling key; `NotFound` when it has no such order."""
    return operation(calls.CREDIT_CANCEL, Sent(body=OrderCancel(order_id=order_id)), lambda answer: answer.order)
