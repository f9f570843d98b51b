"""The calls as a caller makes them: each definition serves both clients."""

from interface.client.operations.account import apikey_add, apikey_change, apikey_list, apikey_me, apikey_update
from interface.client.operations.billing import billing_get, billing_set, billing_topup, invoice_pdf, invoices_list
from interface.client.operations.bulk import bulk_cancel, bulk_status, bulk_url, bulk_validate
from interface.client.operations.chat_templates import chat_templates, create_chat_template, delete_chat_template
from interface.client.operations.connectors import (
    connector_me,
    connector_recipients,
    connector_segments,
    connector_senders,
)
from interface.client.operations.credit import (
    credit,
    credit_alert,
    credit_cancel,
    credit_order,
    credit_prices,
    credit_services,
    set_credit_alert,
)
from interface.client.operations.lists import (
    blacklist,
    blacklist_address,
    blacklist_remove,
    opt_out,
    opt_out_address,
    opt_out_remove,
)
from interface.client.operations.messaging import send, send_many, send_priority, send_simple, send_xml
from interface.client.operations.operation import Operation, Sent
from interface.client.operations.partner import partner_signup, push_device, recipient_register
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
    "apikey_add",
    "apikey_change",
    "apikey_list",
    "apikey_me",
    "apikey_update",
    "billing_get",
    "billing_set",
    "billing_topup",
    "blacklist",
    "blacklist_address",
    "blacklist_remove",
    "bulk_cancel",
    "bulk_status",
    "bulk_url",
    "bulk_validate",
    "chat_templates",
    "check_proof",
    "connector_me",
    "connector_recipients",
    "connector_segments",
    "connector_senders",
    "create_chat_template",
    "credit",
    "credit_alert",
    "credit_cancel",
    "credit_order",
    "credit_prices",
    "credit_services",
    "delete_chat_template",
    "inbox",
    "invoice_pdf",
    "invoices_list",
    "message_status",
    "messages_page",
    "next_page",
    "opt_out",
    "opt_out_address",
    "opt_out_remove",
    "partner_signup",
    "push_device",
    "recipient_register",
    "request_statistics",
    "send",
    "send_many",
    "send_priority",
    "send_simple",
    "send_xml",
    "set_credit_alert",
    "start_validation",
    "statistics",
    "verify_code",
    "verify_proof",
]
