"""Money: whole millionths of a currency unit inside, decimal text outside."""

from decimal import Decimal, InvalidOperation

Money = int
"""Millionths of a currency unit, so that sums are exact and a price per part may have more digits than a coin."""

UNIT: Money = 1_000_000
CURRENCIES = ("czk", "eur")


def parse_money(text: str) -> Money:
    """Read ``12.5`` as 12,500,000 millionths. Raises ValueError on anything that isn't a finite decimal."""
    try:
        amount = Decimal(text) * UNIT
    except InvalidOperation:
        raise ValueError(f"{text!r} isn't an amount; write it as 12.50") from None
    if not amount.is_finite() or amount != amount.to_integral_value():
        raise ValueError(f"{text!r} isn't an amount with at most six decimal places")
    return int(amount)


def format_money(amount: Money) -> str:
    """Render with as many decimal places as it has, two at least: ``1000.00``, ``0.0325``."""
    sign, rest = ("-", -amount) if amount < 0 else ("", amount)
    whole, fraction = divmod(rest, UNIT)
    return f"{sign}{whole}.{f'{fraction:06d}'.rstrip('0').ljust(2, '0')}"


def number(amount: Money) -> float:
    """Render as a JSON number, for the fields that the specification types so (``price``)."""
    return amount / UNIT
