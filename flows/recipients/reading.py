"""Recipients: numbers in one writing, each once, and an account of every line that is left out."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from flows.problems import RecipientsProblem
from flows.recipients.sources import LeftOut, RecipientTable, Row
from interface.phone_numbers import InvalidPhoneNumber, normalise

NUMBER_COLUMNS = (
    "phone_number", "phone", "number", "mobile", "msisdn", "telephone", "tel", "cell", "mobile_number", "mobile_phone",
    "telefon", "telefonni_cislo", "telefonne_cislo", "cislo", "mobil", "telefonnummer", "handy", "handynummer",
    "telefono", "numer", "numer_telefonu",
)  # fmt: skip
"""Names of the column of phone numbers, the surest first; case, accents, spaces and dashes don't count."""

DIGITS_OF_A_NUMBER = 7


@dataclass(frozen=True)
class Recipient:
    """One recipient: ``phone_number`` as digits with the calling code, ``values`` for the text's places."""

    line: int
    phone_number: str
    values: Mapping[str, str]


@dataclass(frozen=True)
class Recipients:
    """Those who get a message, those who don't, and the columns that a text may name."""

    accepted: tuple[Recipient, ...]
    malformed: tuple[LeftOut, ...]
    duplicates: int
    columns: tuple[str, ...]


def read_recipients(table: RecipientTable, column: str | None, calling_code: str) -> Recipients:
    """Normalise and deduplicate (the first line wins); ``column`` names the phone numbers, ``None`` finds them.

    Raises `RecipientsProblem` when there is no such column or no line is left.
    """
    chosen = find_number_column(table, column)
    accepted: dict[str, Recipient] = {}
    malformed = list(table.unreadable)
    duplicates = 0
    for row in table.rows:
        try:
            recipient = _recipient(row, chosen, calling_code)
        except InvalidPhoneNumber as problem:
            malformed.append(LeftOut(row.line, str(problem)))
            continue
        duplicates += recipient.phone_number in accepted
        accepted.setdefault(recipient.phone_number, recipient)
    if not accepted:
        raise RecipientsProblem(f"{table.source}: not one of {table.lines} lines has a usable phone number.")
    malformed.sort(key=lambda left_out: left_out.line)
    return Recipients(tuple(accepted.values()), tuple(malformed), duplicates, table.columns)


def find_number_column(table: RecipientTable, wanted: str | None) -> str:
    """Return the table's own name of the column with the phone numbers, or raise `RecipientsProblem`."""
    by_folded = {_folded(name): name for name in reversed(table.columns)}
    candidates = (wanted,) if wanted else NUMBER_COLUMNS
    for name in candidates:
        if _folded(name) in by_folded:
            return by_folded[_folded(name)]
    if any(sum(map(str.isdigit, name)) >= DIGITS_OF_A_NUMBER for name in table.columns):
        raise RecipientsProblem(f"{table.source} starts without a header; its first line must name the columns.")
    sought = f"column {wanted!r}" if wanted else "column of phone numbers (such as phone_number, mobile, telefon)"
    raise RecipientsProblem(f"{table.source} has no {sought}; its columns: {', '.join(table.columns)}.")


def _recipient(row: Row, column: str, calling_code: str) -> Recipient:
    written = row.values.get(column, "")
    if not written:
        raise InvalidPhoneNumber("The phone number is missing.")
    return Recipient(row.line, normalise(written, calling_code), row.values)


def _folded(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().casefold()
    return "".join(character for character in plain if character.isalnum())
