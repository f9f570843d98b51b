"""The calls as a caller makes them: each definition serves both clients."""

from interface.client.operations.account import apikey_me, apikey_update, blacklist, opt_out
from interface.client.operations.billing import billing_get, billing_set, billing_topup, invoice_pdf, invoices_list
from interface.client.operations.bulk import bulk_cancel, bulk_status, bulk_url, bulk_validate
from interface.client.operations.connectors import (
    connector_me,
    connector_recipients,
    connector_segments,
    connector_senders,
)
from interface.client.operations.messaging import send, send_many, send_priority, send_simple, send_xml
from interface.client.operations.operation import Operation, Sent
from interface.client.operations.status import (
    inbox,
    message_status,
    messages_page,
    next_page,
    request_statistics,
    statistics,
)
from interface.client.operations.verification import check_proof, start_validation, verify_code, verify_proof

__all__ = [
    "Operation",
    "Sent",
    "apikey_me",
    "apikey_update",
    "billing_get",
    "billing_set",
    "billing_topup",
    "blacklist",
    "bulk_cancel",
    "bulk_status",
    "bulk_url",
    "bulk_validate",
    "check_proof",
    "connector_me",
    "connector_recipients",
    "connector_segments",
    "connector_senders",
    "inbox",
    "invoice_pdf",
    "invoices_list",
    "message_status",
    "messages_page",
    "next_page",
    "opt_out",
    "request_statistics",
    "send",
    "send_many",
    "send_priority",
    "send_simple",
    "send_xml",
    "start_validation",
    "statistics",
    "verify_code",
    "verify_proof",
]
