"""What a notification of an inbound message says, and where it goes (details, "Notifications")."""

from typing import Any

import orjson
from sqlalchemy import Connection

from messaging_service.channels.channel import Inbound
from messaging_service.clock import SECOND, Milliseconds
from messaging_service.message import Message
from messaging_service.notify import outbox
from messaging_service.notify.outbox import Address


def incoming_message(inbound: Inbound) -> dict[str, Any]:
    """Return the ``incomingMessage`` event as JSON-ready data; ``timestamp`` is Unix seconds."""
    return {
        "gateway": inbound.channel.value,
        "timestamp": inbound.at // SECOND,
        "type": "incoming",
        "sender": inbound.phone_number,
        "recipient": inbound.recipient,
        "body": inbound.body,
    }


def incoming_reply_message(inbound: Inbound, answered: Message) -> dict[str, Any]:
    """Return the ``incomingReplyMessage`` event, which names the message answered and carries its payload."""
    payload = answered.content.payload
    return {
        "request_id": answered.content.request_id,
        "message_id": answered.message_id,
        "payload": None if payload is None else orjson.loads(payload),
        **incoming_message(inbound),
    }


def write(connection: Connection, address: Address, event: dict[str, Any], now: Milliseconds) -> None:
    """Write the notification of an inbound message into the open transaction, due at once."""
    outbox.write_events(connection, {address: [orjson.dumps(event)]}, now)
