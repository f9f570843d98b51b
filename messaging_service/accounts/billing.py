"""Billing records: whom the invoices of a wallet are made out to."""

import secrets


def new_billing_id() -> str:
    """Return a new ``billing_id``."""
    return f"b-{secrets.token_hex(8)}"
