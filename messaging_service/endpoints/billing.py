"""Billing contacts, invoices and bank data: ``/billing/…`` (specification 4.3, details "billing")."""

import asyncio
import base64
from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import Connection, RowMapping
from starlette.requests import Request
from starlette.responses import Response

from interface import calls
from interface.billing import BillingContact, BillingSelection, BillingUpdate, InvoiceSelection, InvoicesQuery
from messaging_service.accounts.billing import payment_symbol
from messaging_service.accounts.keys import Key
from messaging_service.accounts.money import format_money
from messaging_service.billing.document import Document
from messaging_service.billing.files import InvoiceFiles
from messaging_service.billing.issuer import IssuerFile
from messaging_service.endpoints.auth import Authentication
from messaging_service.endpoints.bodies import read_model
from messaging_service.endpoints.problems import json_response
from messaging_service.endpoints.serving import Handlers
from messaging_service.refusals import Forbidden, NotFound, NotSetUp
from messaging_service.store import billing, invoices
from messaging_service.store.engine import Store

_NONE: Final = "A sub-key that shares its parent's credit has no billing record."
_FOREIGN: Final = "The billing_id isn't that of this key."
_NO_INVOICE: Final = "There is no such invoice."
_NO_BANK: Final = "Paying for credit is not set up: DOVECOTE_ISSUER names no file with a bank account."


class BillingEndpoints:
    """Tells and changes the contact of the calling key, its invoices, and where it pays."""

    def __init__(self, authentication: Authentication, store: Store, issued_by: IssuerFile | None) -> None:
        self._authentication = authentication
        self._store = store
        self._bank = None if issued_by is None else issued_by.bank
        self._files = InvoiceFiles(store)

    def handlers(self) -> Handlers:
        """Return the handler of each call."""
        return {
            calls.BILLING_GET: self.get,
            calls.BILLING_SET: self.set,
            calls.INVOICES_LIST: self.invoices,
            calls.INVOICE_PDF: self.pdf,
            calls.BILLING_TOPUP: self.topup,
        }

    async def get(self, request: Request) -> Response:
        """Tell whom invoices are made out to."""
        key = await self._authentication.key_of(request)
        wanted = await read_model(request, BillingSelection)
        record = await asyncio.to_thread(self._record, key, wanted.billing_id)
        contact = {name: record[name] for name in BillingContact.model_fields}
        return json_response({"success": True, "billing": contact})

    async def set(self, request: Request) -> Response:
        """Change whom invoices are made out to."""
        key = await self._authentication.settings_key_of(request)
        wanted = await read_model(request, BillingUpdate)
        await asyncio.to_thread(self._change, key, wanted.billing_id, wanted.changes())
        return json_response({"success": True})

    async def invoices(self, request: Request) -> Response:
        """Tell of the invoices that were issued."""
        key = await self._authentication.key_of(request)
        wanted = await read_model(request, InvoicesQuery)
        found = await asyncio.to_thread(self._invoices, key, wanted)
        return json_response({"success": True, "invoices": found})

    async def pdf(self, request: Request) -> Response:
        """Give out the file of an invoice."""
        key = await self._authentication.key_of(request)
        wanted = await read_model(request, InvoiceSelection)
        invoice = await asyncio.to_thread(self._invoice, key, wanted)
        content = base64.b64encode(await self._files.file(invoice)).decode("ascii")
        return json_response({"success": True, "filename": f"{invoice['number']}.pdf", "pdf": content})

    async def topup(self, request: Request) -> Response:
        """Tell where to pay, and by what the payment is known."""
        key = await self._authentication.key_of(request)
        if self._bank is None:
            raise NotSetUp(_NO_BANK)
        return json_response({"success": True, "topup": {**dict(self._bank), "vs": payment_symbol(key.wallet_id)}})

    def _record(self, key: Key, billing_id: str | None) -> RowMapping:
        with self._store.reading() as connection:
            return _own_record(connection, key, billing_id)

    def _change(self, key: Key, billing_id: str, contact: Mapping[str, str]) -> None:
        with self._store.writing() as connection:
            billing.change(connection, _own_record(connection, key, billing_id)["id"], contact)

    def _invoices(self, key: Key, wanted: InvoicesQuery) -> list[dict[str, Any]]:
        with self._store.reading() as connection:
            record = _own_record(connection, key, wanted.billing_id)
            return [_told(row) for row in invoices.of_record(connection, record["id"], wanted.year)]

    def _invoice(self, key: Key, wanted: InvoiceSelection) -> RowMapping:
        with self._store.reading() as connection:
            record = _own_record(connection, key, wanted.billing_id)
            found = invoices.find(connection, record["id"], wanted.invoice_id)
        if found is None:
            raise NotFound(_NO_INVOICE)
        return found


def _own_record(connection: Connection, key: Key, billing_id: str | None) -> RowMapping:
    """Return the record of a key. Raises Forbidden when it has none, or none of this id."""
    record = billing.of_key(connection, key.id)
    if record is None:
        raise Forbidden(_NONE)
    if billing_id not in {None, record["billing_id"]}:
        raise Forbidden(_FOREIGN)
    return record


def _told(row: RowMapping) -> dict[str, Any]:
    document = Document.model_validate_json(row["document"])
    return {
        "invoice_id": document.number,
        "billing_id": document.billing_id,
        "month": document.month,
        "issued": document.issued,
        "currency": document.currency,
        "vat_rate": document.vat_rate,
        "net": format_money(document.net),
        "vat": format_money(document.vat),
        "total": format_money(document.total),
    }
