"""Phone numbers: bring any common writing to the form on the wire, and say what a number tells (details). Pure."""

import csv
import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Final, NamedTuple

import phonenumbers
from phonenumbers.timezone import UNKNOWN_TIMEZONE, time_zones_for_number

from interface.numbering_plans import Plan, plan_of, split

TEST_NUMBER: Final = "420777777777"
"""Accepted, never sent, never charged, no notifications."""
DEFAULT_CALLING_CODE: Final = "420"
"""The calling code of an account that names none."""

_SHORTEST: Final = 7
_LONGEST: Final = 15
_NOT_A_DIGIT = re.compile(r"\D+")
_LETTER = re.compile(r"[^\W\d_]")
_INTERNATIONAL = re.compile(r"\D*[+\uff0b]|\D*00")


class InvalidPhoneNumber(ValueError):  # noqa: N818 - named after what it is about, as callers read it
    """A text that isn't a phone number one can send to; says why, without the number itself."""


class Country(NamedTuple):
    """Where a number belongs: ISO 3166 region (``001`` for none), calling code, mobile country code (None unknown)."""

    region: str
    calling_code: str
    mcc: int | None


def normalise(text: str, calling_code: str = DEFAULT_CALLING_CODE) -> str:
    """Return the international digits of a number written in any common way, without ``+`` or ``00``.

    A number written with ``+`` or ``00`` is international. Any other is national when it is a mobile number (or a
    fixed line of a country where these have one length) of ``calling_code``, the calling code of the account's country;
    else international when valid so; else national when valid so. Raises `InvalidPhoneNumber` saying why.
    """
    raw = _digits(text)
    stripped = raw.lstrip("0")
    plan = plan_of(calling_code)
    is_international = _INTERNATIONAL.match(text)
    number = _international(stripped) if is_international else _national_or_international(raw, stripped, plan)
    if number is None:
        raise InvalidPhoneNumber(_why_not(stripped))
    if not _SHORTEST <= len(number) <= _LONGEST:
        raise InvalidPhoneNumber(_why_not(number))
    return number


def _digits(text: str) -> str:
    if text.isascii() and text.isdigit():
        return text
    if _LETTER.search(text):
        raise InvalidPhoneNumber("The phone number contains letters.")
    digits = _NOT_A_DIGIT.sub("", text)
    return digits if digits.isascii() else "".join(str(unicodedata.decimal(digit)) for digit in digits)


def _international(digits: str) -> str | None:
    found = split(digits)
    return found.plan.complete(found.national) if found else None


def _national_or_international(raw: str, stripped: str, plan: Plan | None) -> str | None:
    if plan is None:
        return _international(stripped)
    if plan.plainly_national(stripped):
        return plan.calling_code + stripped
    if raw != stripped:  # a leading zero is a trunk prefix, or a part of the number in some countries
        return plan.complete(raw) or plan.complete(stripped) or _international(stripped)
    return _international(stripped) or plan.complete(stripped)


def _why_not(digits: str) -> str:
    if len(digits) < _SHORTEST:
        return f"The phone number has fewer than {_SHORTEST} digits."
    if len(digits) > _LONGEST:
        return f"The phone number has more than {_LONGEST} digits."
    found = split(digits)
    if found is None:
        return "The phone number has no known country calling code."
    return f"The phone number is not valid for its country (calling code {found.plan.calling_code})."


def country(number: str) -> Country | None:
    """Return the country of a normalised number, or None when it isn't valid."""
    found = split(number)
    region = found.plan.region(found.national) if found else None
    if found is None or region is None:
        return None
    return Country(region, found.plan.calling_code, mobile_country_codes().get(region))


def time_zones(number: str) -> tuple[str, ...]:
    """Return the IANA names of the zones in which a normalised number may be; empty when unknown."""
    try:
        zones = time_zones_for_number(phonenumbers.parse(f"+{number}"))
    except phonenumbers.NumberParseException:
        return ()
    return tuple(zone for zone in zones if zone != UNKNOWN_TIMEZONE)


@cache
def mobile_country_codes() -> Mapping[str, int]:
    """Return the first mobile country code of each region (ITU-T E.212), by ISO 3166 region code."""
    table = files("interface").joinpath("data/mobile_country_codes.csv").read_text(encoding="ascii")
    return {row["region"]: int(row["mcc"]) for row in csv.DictReader(table.splitlines())}
