"""What the status calls tell of a message (specification 2.4, 2.5, details "Status"). Pure."""

from collections.abc import Mapping
from typing import Any

import orjson

from interface.flow_steps import Channel, Gateway
from interface.results import Result, ResultCode, result_info
from messaging_service.accounts.money import format_money, number
from messaging_service.clock import Milliseconds, iso, iso_or_none
from messaging_service.message import Message
from messaging_service.process.steps import sender_of, step_of
from messaging_service.report import is_nondelivered

WAITING = "100"
HANDED_OVER = "200"
_DELIVERY_CODES = {
    Result.DELIVERED: "201",
    Result.SEEN: "202",
    Result.UNDELIVERED: "203",
    Result.FAILED: "203",
}
_STEP_ASKED_BY_DEFAULT = {Channel.SMS.value: {"gateway": Gateway.HIGH.value}}


def status_record(message: Message, created_at: Milliseconds) -> dict[str, Any]:
    """Return the status record of a message (2.4); ``price`` is what the wallet paid, in its currency."""
    content = message.content
    return {
        **_codes(message.state, message.code),
        "status_info": result_info(message.code, message.reason) or message.state.value,
        "tag": content.tags,
        "body": _body(message),
        "to": {"phone_number": message.phone_number or message.recipient},
        "request_id": content.request_id,
        "ts_created": iso(created_at),
        "ts_sent": iso_or_none(message.ts_sent),
        "ts_delivered": iso_or_none(message.ts_delivered),
        "ts_seen": iso_or_none(message.ts_seen),
        "ts_clicked": iso_or_none(message.ts_clicked),
        "ts_updated": iso_or_none(message.ts_updated),
        "flow": [_STEP_ASKED_BY_DEFAULT] if content.flow is None else orjson.loads(content.flow),
        "flow_index": str(message.flow_index),
        "flow_status": _flow_status(message),
        "price": number(message.charged),
        "payload": None if content.payload is None else orjson.loads(content.payload),
    }


def list_row(message: Message) -> dict[str, Any]:
    """Return a message's row in the list of its date (2.5); ``flow`` is the channel of the step that it is on."""
    step = step_of(message)
    return {
        "message_id": message.message_id,
        "message_parts": message.parts,
        "ts_sent": iso_or_none(message.ts_sent),
        "ts_delivered": iso_or_none(message.ts_delivered),
        "ts_updated": iso_or_none(message.ts_updated),
        "ts_clicked": iso_or_none(message.ts_clicked),
        "ts_seen": iso_or_none(message.ts_seen),
        "ts_replied": iso_or_none(message.ts_replied),
        "ts_optout": iso_or_none(message.ts_optout),
        "sent": _counted(message.ts_sent),
        "delivered": _counted(message.ts_delivered),
        "seen": _counted(message.ts_seen),
        "clicked": _counted(message.ts_clicked),
        "replied": _counted(message.ts_replied),
        "optout": _counted(message.ts_optout),
        "nondelivered": int(is_nondelivered(message)),
        "body": _body(message),
        "flow": step.channel.value,
        "sender": sender_of(step, message.content),
        "phone_number": message.phone_number or message.recipient,
        "price_czk": format_money(message.price_czk),
        "price_eur": format_money(message.price_eur),
    }


def _codes(state: Result, code: int | None) -> Mapping[str, str | None]:
    return {"status_code": _status_code(state, code), "delivery_code": _DELIVERY_CODES.get(state)}


def _status_code(state: Result, code: int | None) -> str:
    if state is Result.ACCEPTED:
        return WAITING
    if state in {Result.REJECTED, Result.CANCELLED}:
        return str(ResultCode.REJECTED.value if code is None else code)
    return HANDED_OVER


def _flow_status(message: Message) -> dict[str, Mapping[str, str | None]]:
    """Tell how far each step came that the message has reached."""
    left = orjson.loads(message.flow_history or "[]")
    steps = [_codes(Result(step["state"]), step["code"]) for step in left]
    return {str(index): codes for index, codes in enumerate([*steps, _codes(message.state, message.code)])}


def _body(message: Message) -> str | None:
    return step_of(message).body or message.content.body


def _counted(moment: Milliseconds | None) -> int:
    return int(moment is not None)
