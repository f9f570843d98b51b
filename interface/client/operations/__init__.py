"""The calls as a caller makes them: each definition serves both clients."""

from interface.client.operations.account import apikey_me, apikey_update, blacklist, opt_out
from interface.client.operations.bulk import bulk_cancel, bulk_status, bulk_url, bulk_validate
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
    "blacklist",
    "bulk_cancel",
    "bulk_status",
    "bulk_url",
    "bulk_validate",
    "check_proof",
    "inbox",
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
