"""The numbers that can be verified: digits with country code, in the one form under which limits count them. Pure."""

import re
from typing import NamedTuple

from interface.phone_numbers import InvalidPhoneNumber, country, normalise

_DIGITS = re.compile(r"[1-9][0-9]{6,14}")


class Number(NamedTuple):
    """A number as it is kept and answered, its country (ISO 3166; empty: unknown), and as it is handed to phase 2."""

    phone_number: str
    country: str
    recipient: str


def read_number(given: object, calling_code: str) -> Number | None:
    """Return the number that a caller wrote, None for what breaks the rule (specification 7.4).

    A number that isn't valid for its country is taken, as everywhere: phase 2 rejects its message.
    """
    if not isinstance(given, str) or not _DIGITS.fullmatch(given):
        return None
    try:
        number = normalise(f"+{given}", calling_code)  # two writings of one number must not have a limit each
    except InvalidPhoneNumber:
        return Number(given, "", f"+{given}")
    found = country(number)
    return Number(number, found.region if found else "", number if _reads_so(number, calling_code) else f"+{number}")


def _reads_so(number: str, calling_code: str) -> bool:
    """Whether phase 2 takes the digits for this number and not for a national one."""
    try:
        return normalise(number, calling_code) == number
    except InvalidPhoneNumber:
        return False
