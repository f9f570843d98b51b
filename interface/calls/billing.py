"""The calls about billing contacts, invoices and bank data (specification 4.3)."""

from typing import Final

from pydantic import BaseModel, TypeAdapter

from interface.account import Success
from interface.billing import (
    BillingResponse,
    BillingSelection,
    BillingUpdate,
    InvoicePdf,
    InvoiceSelection,
    InvoicesQuery,
    InvoicesResponse,
    TopupResponse,
)
from interface.calls.call import Base, Call, ErrorAnswer
from interface.calls.errors import REST_ERRORS, WRONG_CONTENT_TYPE

_BILLING_ERRORS = (
    *REST_ERRORS,
    ErrorAnswer(403, "The billing_id isn't one of the calling key, which a shared sub-key has none of."),
    ErrorAnswer(413, "The request is larger than 1 MiB."),
    WRONG_CONTENT_TYPE,
)

BILLING_GET: Final = Call(
    name="billing_get",
    method="POST",
    path="/billing/get",
    base=Base.REST,
    group="billing",
    summary="The billing contact of the calling key",
    body=TypeAdapter(BillingSelection),
    answer=BillingResponse,
    errors=_BILLING_ERRORS,
)

BILLING_SET: Final = Call(
    name="billing_set",
    method="POST",
    path="/billing/set",
    base=Base.REST,
    group="billing",
    summary="Change a billing contact",
    description="Invoices that were issued keep the contact of their day.",
    body=TypeAdapter(BillingUpdate),
    answer=Success,
    errors=_BILLING_ERRORS,
)

INVOICES_LIST: Final = Call(
    name="invoices_list",
    method="POST",
    path="/billing/invoices/list",
    base=Base.REST,
    group="billing",
    summary="The invoices of a billing record",
    description="One for each month in which something was charged, issued after its end. The newest first.",
    body=TypeAdapter(InvoicesQuery),
    answer=InvoicesResponse,
    errors=_BILLING_ERRORS,
)

INVOICE_PDF: Final = Call(
    name="invoice_pdf",
    method="POST",
    path="/billing/invoices/pdf",
    base=Base.REST,
    group="billing",
    summary="An invoice as a PDF file",
    body=TypeAdapter(InvoiceSelection),
    answer=InvoicePdf,
    errors=(*_BILLING_ERRORS, ErrorAnswer(404, "The billing record has no such invoice.")),
)

BILLING_TOPUP: Final = Call(
    name="billing_topup",
    method="GET",
    path="/billing/topup",
    base=Base.REST,
    group="billing",
    summary="Where to pay for credit",
    answer=TopupResponse,
    errors=(*REST_ERRORS, ErrorAnswer(503, "The service has no bank account set.")),
)

CALLS: Final[tuple[Call[BaseModel], ...]] = (BILLING_GET, BILLING_SET, INVOICES_LIST, INVOICE_PDF, BILLING_TOPUP)
