"""Billing contacts, invoices and bank data of an account (specification 2.9, 4.3, details "billing")."""

from datetime import date as date_
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from interface import patterns
from interface.queries import Identifier
from interface.responses import Response

_EXAMPLE_ID = "b-7f0c2a4e7c1e4c57"
_EXAMPLE_CONTACT = {
    "name": "Obchod s.r.o.",
    "email": "ucetni@example.com",
    "street": "Dlouhá 1",
    "city": "Praha",
    "zip": "110 00",
    "country": "cz",
    "company_id": "12345678",
    "company_vat": "CZ12345678",
}

_Line = Annotated[str, StringConstraints(pattern=patterns.LINE, max_length=200)]
_Email = Annotated[str, StringConstraints(pattern=patterns.EMAIL_OF_CONTACT, max_length=254)]
_Country = Annotated[str, StringConstraints(pattern=patterns.COUNTRY_OR_EMPTY, to_lower=True)]
_CONTACT = ("name", "email", "street", "city", "zip", "country", "company_id", "company_vat")


class BillingContact(Response):
    """Whom invoices are made out to; what isn't known is empty."""

    billing_id: str = Field(examples=[_EXAMPLE_ID])
    name: str = Field(default="", examples=[_EXAMPLE_CONTACT["name"]])
    email: str = Field(default="", examples=[_EXAMPLE_CONTACT["email"]])
    street: str = Field(default="", examples=[_EXAMPLE_CONTACT["street"]])
    city: str = Field(default="", examples=[_EXAMPLE_CONTACT["city"]])
    zip: str = Field(default="", examples=[_EXAMPLE_CONTACT["zip"]])
    country: str = Field(default="", examples=[_EXAMPLE_CONTACT["country"]], description="Country code, lower case.")
    company_id: str = Field(default="", examples=[_EXAMPLE_CONTACT["company_id"]])
    company_vat: str = Field(default="", examples=[_EXAMPLE_CONTACT["company_vat"]])


class BillingSelection(BaseModel):
    """Which billing record; absent, it is the calling key's own."""

    model_config = ConfigDict(frozen=True, json_schema_extra={"examples": [{"billing_id": _EXAMPLE_ID}]})

    billing_id: Identifier | None = Field(default=None, description="Absent: that of the calling key.")


class BillingResponse(Response):
    """The envelope of ``POST /billing/get``."""

    success: bool
    billing: BillingContact


class BillingUpdate(BaseModel):
    """New values of a billing contact: at least one. An empty string deletes the value; what is absent stays."""

    model_config = ConfigDict(
        frozen=True,
        json_schema_extra={"examples": [{"billing_id": _EXAMPLE_ID, **_EXAMPLE_CONTACT}]},
    )

    billing_id: Identifier = Field(description="The calling key's own record.")
    name: _Line | None = Field(default=None, description="Of the customer, as invoices have it.")
    email: _Email | None = Field(default=None, description="E-mail address for invoices.")
    street: _Line | None = Field(default=None, description="Street and number.")
    city: _Line | None = Field(default=None, description="Town.")
    zip: _Line | None = Field(default=None, description="Postal code.")
    country: _Country | None = Field(default=None, description="Two letters, lower case, such as `cz`.")
    company_id: _Line | None = Field(default=None, description="Registration number of the company.")
    company_vat: _Line | None = Field(default=None, description="VAT number of the company.")

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        if all(getattr(self, name) is None for name in _CONTACT):
            raise PydanticCustomError("nothing_to_change", f"must hold at least one of {', '.join(_CONTACT)}")
        return self

    def changes(self) -> dict[str, str]:
        """Return the values that are given."""
        return self.model_dump(include=set(_CONTACT), exclude_none=True)


class InvoicesQuery(BillingSelection):
    """Which invoices to list: all of a billing record, or those issued in a year."""

    model_config = ConfigDict(frozen=True, json_schema_extra={"examples": [{"year": 2026}]})

    year: Annotated[int, Field(ge=2000, le=2999)] | None = Field(default=None, description="Only of this year.")


class Invoice(Response):
    """An invoice as it was issued, paid from credit; it never changes. Amounts are decimal text in ``currency``."""

    invoice_id: str = Field(examples=["2026000001"], description="Its number.")
    billing_id: str = Field(examples=[_EXAMPLE_ID])
    month: str = Field(examples=["2026-03"], description="The month that it is about.")
    issued: date_ = Field(examples=["2026-04-01"])
    currency: str = Field(examples=["CZK"])
    vat_rate: str = Field(examples=["21"], description="In percent.")
    net: str = Field(examples=["100.00"])
    vat: str = Field(examples=["21.00"])
    total: str = Field(examples=["121.00"])


class InvoicesResponse(Response):
    """The envelope of ``POST /billing/invoices/list``, the newest invoice first."""

    success: bool
    invoices: list[Invoice] = Field(default=[])


class InvoiceSelection(BaseModel):
    """Which invoice."""

    model_config = ConfigDict(frozen=True, json_schema_extra={"examples": [{"invoice_id": "2026000001"}]})

    invoice_id: Identifier = Field(description="Its number.")
    billing_id: Identifier | None = Field(default=None, description="Absent: that of the calling key.")


class InvoicePdf(Response):
    """An invoice as a PDF file, in base64."""

    success: bool
    filename: str = Field(default="", examples=["2026000001.pdf"])
    pdf: str = Field(examples=["JVBERi0xLjQK"], repr=False)


class Topup(Response):
    """Where to pay; ``vs`` is the payment symbol by which a payment is matched to the account."""

    account_number: str = Field(examples=["2000145399"])
    account_bank: str = Field(examples=["0800"])
    iban: str = Field(examples=["CZ6508000000192000145399"])
    vs: str = Field(examples=["1000000001"])


class TopupResponse(Response):
    """The envelope of ``GET /billing/topup``."""

    success: bool
    topup: Topup
