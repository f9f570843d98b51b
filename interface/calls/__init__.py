"""Every call of the interface, once, by group (specification 4).

The client runs these calls; the service checks its routes against them and describes itself with them.
"""

from typing import Final

from pydantic import BaseModel

from interface.calls import (
    api_keys,
    billing,
    bulk,
    chat_templates,
    connectors,
    credit,
    lists,
    messaging,
    partner,
    status,
    verification,
    xml,
)
from interface.calls.api_keys import APIKEY_ADD, APIKEY_CHANGE, APIKEY_LIST, APIKEY_ME, APIKEY_UPDATE
from interface.calls.billing import BILLING_GET, BILLING_SET, BILLING_TOPUP, INVOICE_PDF, INVOICES_LIST
from interface.calls.bulk import BULK_CANCEL, BULK_STATUS, BULK_URL, BULK_VALIDATE
from interface.calls.call import IDEMPOTENCY_HEADER, KEY_HEADER, Base, Call, Content, ErrorAnswer, Repeatable
from interface.calls.chat_templates import CHAT_TEMPLATE_CREATE, CHAT_TEMPLATE_DELETE, CHAT_TEMPLATES
from interface.calls.connectors import CONNECT
from interface.calls.credit import (
    CREDIT,
    CREDIT_ALERT,
    CREDIT_ALERT_SET,
    CREDIT_CANCEL,
    CREDIT_ORDER,
    CREDIT_PRICES,
    CREDIT_SERVICES,
)
from interface.calls.lists import (
    BLACKLIST,
    BLACKLIST_ADDRESS,
    BLACKLIST_REMOVE,
    OPT_OUT,
    OPT_OUT_ADDRESS,
    OPT_OUT_REMOVE,
)
from interface.calls.messaging import SEND, SEND_MANY, SEND_PRIORITY, SEND_SIMPLE, SEND_SIMPLE_BY_QUERY
from interface.calls.partner import PARTNER_SIGNUP, PUSH_DEVICE, RECIPIENT_REGISTER
from interface.calls.status import INBOX, MESSAGE_STATUS, MESSAGES_OF_DATE, REQUEST_STATISTICS, STATISTICS
from interface.calls.verification import CHECK_PROOF, START_VALIDATION, VERIFY_CODE, VERIFY_PROOF
from interface.calls.xml import SEND_XML

CALLS: Final[tuple[Call[BaseModel], ...]] = (
    *messaging.CALLS,
    *status.CALLS,
    *api_keys.CALLS,
    *credit.CALLS,
    *lists.CALLS,
    *bulk.CALLS,
    *billing.CALLS,
    *connectors.CALLS,
    *partner.CALLS,
    *chat_templates.CALLS,
    *verification.CALLS,
    *xml.CALLS,
)
"""All calls, in the order in which the documentation shows them."""

__all__ = [
    "APIKEY_ADD",
    "APIKEY_CHANGE",
    "APIKEY_LIST",
    "APIKEY_ME",
    "APIKEY_UPDATE",
    "BILLING_GET",
    "BILLING_SET",
    "BILLING_TOPUP",
    "BLACKLIST",
    "BLACKLIST_ADDRESS",
    "BLACKLIST_REMOVE",
    "BULK_CANCEL",
    "BULK_STATUS",
    "BULK_URL",
    "BULK_VALIDATE",
    "CALLS",
    "CHAT_TEMPLATES",
    "CHAT_TEMPLATE_CREATE",
    "CHAT_TEMPLATE_DELETE",
    "CHECK_PROOF",
    "CONNECT",
    "CREDIT",
    "CREDIT_ALERT",
    "CREDIT_ALERT_SET",
    "CREDIT_CANCEL",
    "CREDIT_ORDER",
    "CREDIT_PRICES",
    "CREDIT_SERVICES",
    "IDEMPOTENCY_HEADER",
    "INBOX",
    "INVOICES_LIST",
    "INVOICE_PDF",
    "KEY_HEADER",
    "MESSAGES_OF_DATE",
    "MESSAGE_STATUS",
    "OPT_OUT",
    "OPT_OUT_ADDRESS",
    "OPT_OUT_REMOVE",
    "PARTNER_SIGNUP",
    "PUSH_DEVICE",
    "RECIPIENT_REGISTER",
    "REQUEST_STATISTICS",
    "SEND",
    "SEND_MANY",
    "SEND_PRIORITY",
    "SEND_SIMPLE",
    "SEND_SIMPLE_BY_QUERY",
    "SEND_XML",
    "START_VALIDATION",
    "STATISTICS",
    "VERIFY_CODE",
    "VERIFY_PROOF",
    "Base",
    "Call",
    "Content",
    "ErrorAnswer",
    "Repeatable",
]
