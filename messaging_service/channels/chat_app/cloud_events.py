"""What the Cloud API tells by its webhook: receipts, inbound messages, changes of templates. Pure."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import orjson

from interface.flow_steps import Channel
from interface.results import Result
from messaging_service.channels.channel import Inbound, Receipt
from messaging_service.channels.chat_app.cloud_replies import complaint_of
from messaging_service.channels.chat_app.cloud_settings import CloudAccess
from messaging_service.clock import SECOND, Milliseconds

_RESULTS = {
    "sent": Result.SENT,
    "delivered": Result.DELIVERED,
    "read": Result.SEEN,
    "failed": Result.FAILED,
}
_MESSAGES = "messages"
_TEMPLATE_CHANGED = "message_template_status_update"
_LONGEST_ID = 90
_LONGEST_TEXT = 4096
_LONGEST_NUMBER = 24
_LATEST: Milliseconds = 253_402_300_799 * SECOND


class Told(NamedTuple):
    """What one webhook call told, of which templates it said that they changed, and how much we don't understand."""

    receipts: list[Receipt]
    inbound: list[Inbound]
    template_ids: list[str]
    not_understood: int


def read_event(body: bytes | str, access: CloudAccess) -> Told:
    """Read the body of a webhook call. What isn't understood is counted and left out."""
    told = Told([], [], [], 0)
    not_understood = 0
    for field, value in _changes(body):
        if field == _TEMPLATE_CHANGED:
            told.template_ids.append(str(value.get("message_template_id")))
        if field != _MESSAGES:
            continue
        for status in _objects(value.get("statuses")):
            receipt = _receipt(status)
            told.receipts.extend([] if receipt is None else [receipt])
            not_understood += receipt is None
        for message in _objects(value.get("messages")):
            inbound = _inbound(message, value.get("metadata"), access)
            told.inbound.extend([] if inbound is None else [inbound])
            not_understood += inbound is None
    return told._replace(not_understood=not_understood)


def _changes(body: bytes | str) -> Iterator[tuple[object, dict[str, Any]]]:
    try:
        event = orjson.loads(body)
    except orjson.JSONDecodeError:
        return
    for entry in _objects(event.get("entry") if isinstance(event, dict) else None):
        for change in _objects(entry.get("changes")):
            if isinstance(change.get("value"), dict):
                yield change.get("field"), change["value"]


def _objects(value: object) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _receipt(status: dict[str, Any]) -> Receipt | None:
    """Return a receipt of a message of ours; the platform gives back what we sent with it."""
    result = _RESULTS.get(str(status.get("status")))
    message_id, _, flow_index = str(status.get("biz_opaque_callback_data") or "").rpartition(":")
    at = _moment(status.get("timestamp"))
    if result is None or at is None or not message_id or not (flow_index.isascii() and flow_index.isdigit()):
        return None
    if result is not Result.FAILED:
        return Receipt(message_id, int(flow_index[:4]), result, at)
    complaint = complaint_of(next(iter(_objects(status.get("errors"))), None))
    return Receipt(message_id, int(flow_index[:4]), result, at, complaint.code, complaint.reason)


def _inbound(message: dict[str, Any], metadata: object, access: CloudAccess) -> Inbound | None:
    at = _moment(message.get("timestamp"))
    wamid, number = message.get("id"), message.get("from")
    sender = access.sender_of(str(metadata.get("phone_number_id"))) if isinstance(metadata, dict) else None
    if at is None or sender is None or not isinstance(wamid, str) or not isinstance(number, str):
        return None
    if len(wamid) > _LONGEST_ID or not (number.isascii() and number.isdigit() and len(number) <= _LONGEST_NUMBER):
        return None
    return Inbound(f"whatsapp:{wamid}", Channel.WHATSAPP_TEXT, number, sender, _words(message), at)


def _words(message: dict[str, Any]) -> str:
    """Return what a person wrote or pressed; for a picture and the like its kind, in brackets."""
    kind = str(message.get("type") or "unknown")
    content = message.get(kind)
    held: dict[str, Any] = content if isinstance(content, dict) else {}
    if kind == "interactive":
        pressed = held.get(str(held.get("type")))
        held = pressed if isinstance(pressed, dict) else {}
    words = next((held[name] for name in ("body", "text", "title") if isinstance(held.get(name), str)), f"[{kind}]")
    return str(words).replace("\x00", "")[:_LONGEST_TEXT]


def _moment(timestamp: object) -> Milliseconds | None:
    text = str(timestamp)
    if not (text.isascii() and text.isdigit()):
        return None
    moment = int(text[:12]) * SECOND
    return moment if 0 < moment <= _LATEST else None
