"""Who issues invoices, and where to pay: a file (TOML), checked when it is read."""

import tomllib
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from interface.field_errors import field_errors

_Line = Annotated[str, Field(max_length=200, pattern=r"^[^\p{C}]*$")]


class Language(StrEnum):
    """The languages in which invoices are written."""

    CZECH = "cs"
    SLOVAK = "sk"
    ENGLISH = "en"


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Party(_Entry):
    """The issuer or the customer of an invoice, as of the day it was issued."""

    name: _Line = ""
    email: _Line = ""
    street: _Line = ""
    city: _Line = ""
    zip: _Line = ""
    country: _Line = ""
    company_id: _Line = ""
    company_vat: _Line = ""


class Issuer(Party):
    """Whoever runs the service; ``note`` is printed below the address, such as the entry in a register."""

    name: Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\p{C}]*$")]
    note: Annotated[str, Field(max_length=500)] = ""


class BankAccount(_Entry):
    """The account to which credit is paid."""

    account_number: Annotated[str, Field(pattern=r"^(\d{1,6}-)?\d{2,10}$")]
    account_bank: Annotated[str, Field(pattern=r"^\d{4}$")]
    iban: Annotated[str, Field(pattern=r"^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$")]


class IssuerFile(_Entry):
    """The file as it is written."""

    language: Language = Language.ENGLISH
    issuer: Issuer
    bank: BankAccount


def read_issuer(path: Path | None) -> IssuerFile | None:
    """Read the file, None without one. Raises ValueError with a sentence that names the file and the field."""
    if path is None:
        return None
    try:
        return IssuerFile.model_validate(tomllib.loads(path.read_text("utf-8")))
    except OSError as error:
        raise ValueError(f"DOVECOTE_ISSUER: {path} can't be read: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"DOVECOTE_ISSUER: {path} isn't TOML: {error}.") from None
    except ValidationError as error:
        raise ValueError(f"DOVECOTE_ISSUER: {path}: {field_errors(error)[0].message}") from None
