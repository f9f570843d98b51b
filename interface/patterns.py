"""Patterns of texts that cross the wire, and the sentence that tells a person what each allows."""

from collections.abc import Mapping
from typing import Final

NO_NUL: Final = r"^[^\x00]*$"
NOT_EMPTY: Final = r"^[^\x00]+$"
LINE: Final = r"^[^\p{C}]*$"
_SENDER: Final = r"[0-9]{1,15}|[^+\p{C}][^\p{C}]{0,10}"
SENDER: Final = f"^(?:{_SENDER})$"
SENDER_OR_EMPTY: Final = f"^(?:{_SENDER})?$"
EMAIL: Final = r"^[^@\s\p{C},;:<>\"\\]{1,64}@[A-Za-z0-9.-]{1,189}$"
EMAIL_OF_CONTACT: Final = r"^([^@\s\p{C}]+@[^@\s\p{C}]+)?$"
EMAIL_OF_ANSWERS: Final = r"^[^\s\x00@]+@[^\s\x00@]+$"
HOST: Final = r"^[A-Za-z0-9.:-]{1,253}$"
QUERY_NAME: Final = r"^[A-Za-z0-9._~-]{1,64}$"
COUNTRY_OR_EMPTY: Final = r"^([A-Za-z]{2})?$"
BUSINESS_ACCOUNT: Final = r"^[A-Za-z0-9._-]{1,64}$"
TEMPLATE_NAME: Final = r"^[a-z0-9_]{1,100}$"
LOCALE: Final = r"^[a-z]{2,3}(_[A-Za-z0-9]{2,8}){0,2}$"
TELEPHONE: Final = r"^\+?[0-9]{7,15}$"
VERIFIED_NUMBER: Final = r"^[1-9][0-9]{6,14}$"
VERIFICATION_CODE: Final = r"^[0-9]{6}$"

_A_SENDER = "must be a name of at most 11 characters, or a number of digits without +"
_AN_EMAIL = "must be an e-mail address"

SENTENCES: Final[Mapping[str, str]] = {
    NO_NUL: "must not contain the NUL character",
    NOT_EMPTY: "must not be empty or contain the NUL character",
    LINE: "must be a single line without control characters",
    SENDER: _A_SENDER,
    SENDER_OR_EMPTY: _A_SENDER,
    EMAIL: _AN_EMAIL,
    EMAIL_OF_CONTACT: _AN_EMAIL,
    EMAIL_OF_ANSWERS: _AN_EMAIL,
    HOST: "must be a host name",
    QUERY_NAME: "must be the name of a query parameter",
    COUNTRY_OR_EMPTY: "must be a country code of two letters",
    BUSINESS_ACCOUNT: "must be 1 to 64 of the characters A-Z, a-z, 0-9, dot, hyphen and underscore",
    TEMPLATE_NAME: "must be 1 to 100 of the characters a-z, 0-9 and underscore",
    LOCALE: "must be a locale code such as cs or en_US",
    TELEPHONE: "must be a phone number of 7 to 15 digits",
    VERIFIED_NUMBER: "must be 7 to 15 digits with country code, without +, and not begin with 0",
    VERIFICATION_CODE: "must be exactly 6 digits",
}
"""What follows the name of the field."""
