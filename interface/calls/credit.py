"""The calls about credit, prices and orders (details, "credit")."""

from typing import Final

from pydantic import BaseModel, TypeAdapter

from interface.calls.call import Base, Call, ErrorAnswer
from interface.calls.errors import REST_ERRORS, SETTINGS_ERRORS
from interface.credit import CreditAlertResponse, CreditAlertUpdate, CreditResponse, PricesResponse
from interface.orders import OrderCancel, OrderRequest, OrderResponse, ServicesResponse

CREDIT: Final = Call(
    name="credit",
    method="GET",
    path="/credit",
    base=Base.REST,
    group="credit",
    summary="What is in the wallet of the calling key",
    answer=CreditResponse,
    errors=REST_ERRORS,
)

CREDIT_PRICES: Final = Call(
    name="credit_prices",
    method="GET",
    path="/credit/prices",
    base=Base.REST,
    group="credit",
    summary="The price list",
    description="Prices of a part without VAT, by channel and calling code; `default` is any other country.",
    answer=PricesResponse,
    errors=REST_ERRORS,
)

CREDIT_ALERT: Final = Call(
    name="credit_alert",
    method="GET",
    path="/credit/notify",
    base=Base.REST,
    group="credit",
    summary="The low-credit alert of the calling key",
    answer=CreditAlertResponse,
    errors=REST_ERRORS,
)

CREDIT_ALERT_SET: Final = Call(
    name="set_credit_alert",
    method="POST",
    path="/credit/notify",
    base=Base.REST,
    group="credit",
    summary="Set the low-credit alert of the calling key",
    description=(
        "Once credit is below `value`, an e-mail and an event to the key's callback address say so, once until credit "
        "has risen to `value` again. What is absent stays as it is; `message` says what keeps it from being told."
    ),
    body=TypeAdapter(CreditAlertUpdate),
    answer=CreditAlertResponse,
    errors=SETTINGS_ERRORS,
)

CREDIT_SERVICES: Final = Call(
    name="credit_services",
    method="GET",
    path="/credit/services",
    base=Base.REST,
    group="credit",
    summary="Senders that can be ordered",
    answer=ServicesResponse,
    errors=REST_ERRORS,
)

CREDIT_ORDER: Final = Call(
    name="credit_order",
    method="POST",
    path="/credit/order",
    base=Base.REST,
    group="credit",
    summary="Order a sender, or ask what it costs",
    description=(
        "Charges the wallet once: ordering what the key has already answers with the order it has. With `dryrun` "
        "nothing is ordered or charged."
    ),
    body=TypeAdapter(OrderRequest),
    answer=OrderResponse,
    errors=(
        *SETTINGS_ERRORS,
        ErrorAnswer(402, "The credit doesn't suffice."),
        ErrorAnswer(409, "The number is not free."),
    ),
)

CREDIT_CANCEL: Final = Call(
    name="credit_cancel",
    method="POST",
    path="/credit/cancel",
    base=Base.REST,
    group="credit",
    summary="Cancel an order",
    description="The sender is the key's no more; what was paid stays paid. Cancelling again changes nothing.",
    body=TypeAdapter(OrderCancel),
    answer=OrderResponse,
    errors=(*SETTINGS_ERRORS, ErrorAnswer(404, "This key has no such order.")),
)

CALLS: Final[tuple[Call[BaseModel], ...]] = (
    CREDIT,
    CREDIT_PRICES,
    CREDIT_ALERT,
    CREDIT_ALERT_SET,
    CREDIT_SERVICES,
    CREDIT_ORDER,
    CREDIT_CANCEL,
)
