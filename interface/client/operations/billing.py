"""Billing contacts, invoices and bank data (specification 4.3)."""

import base64

from interface import calls
from interface.account import Success
from interface.billing import (
    BillingContact,
    BillingSelection,
    BillingUpdate,
    Invoice,
    InvoicePdf,
    InvoiceSelection,
    InvoicesQuery,
    Topup,
)
from interface.client.operations.operation import Operation, Sent, operation, whole


def billing_get(billing_id: str | None = None) -> Operation[BillingContact]:
    """Return a billing contact, by default the calling key's; `Forbidden` for another's and for shared sub-keys."""
    body = BillingSelection(billing_id=billing_id)
    return operation(calls.BILLING_GET, Sent(body=body), lambda answer: answer.billing)


def billing_set(contact: BillingUpdate) -> Operation[Success]:
    """Change a billing contact; what is None stays (4.3)."""
    return operation(calls.BILLING_SET, Sent(body=contact), whole)


def invoices_list(billing_id: str | None = None, *, year: int | None = None) -> Operation[list[Invoice]]:
    """Return the invoices of a billing record, by default the calling key's, the newest first."""
    query = InvoicesQuery(billing_id=billing_id, year=year)
    return operation(calls.INVOICES_LIST, Sent(body=query), lambda answer: answer.invoices)


def invoice_pdf(invoice_id: str, *, billing_id: str | None = None) -> Operation[bytes]:
    """Return an invoice as a PDF file; `NotFound` when the billing record has no such invoice."""
    selection = InvoiceSelection(invoice_id=invoice_id, billing_id=billing_id)
    return operation(calls.INVOICE_PDF, Sent(body=selection), _file)


def billing_topup() -> Operation[Topup]:
    """Return where to pay for credit, with the payment symbol of the account."""
    return operation(calls.BILLING_TOPUP, Sent(), lambda answer: answer.topup)


def _file(answer: InvoicePdf) -> bytes:
    return base64.b64decode(answer.pdf)
