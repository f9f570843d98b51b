"""Billing records: whom the invoices of a wallet are made out to, and by what a payment to it is known."""

import secrets
from typing import Final

_FIRST_SYMBOL: Final = 1_000_000_000
"""Payment symbols are numbers of ten digits: banks drop leading zeros."""


def new_billing_id() -> str:
    """Return a new ``billing_id``."""
    return f"b-{secrets.token_hex(8)}"


def payment_symbol(wallet_id: int) -> str:
    """Return the symbol by which a payment to a wallet is known (``vs``)."""
    return str(_FIRST_SYMBOL + wallet_id)


def wallet_of_symbol(symbol: str) -> int | None:
    """Return the number that a wallet with this symbol would have, None for what is no symbol."""
    if not (symbol.isascii() and symbol.isdigit() and len(symbol) == len(str(_FIRST_SYMBOL))):
        return None
    return int(symbol) - _FIRST_SYMBOL
