"""What a notification says (specification 6, details "Notifications"). Pure."""

from functools import lru_cache
from typing import Any

import orjson

from interface.flow_steps import Channel, Gateway
from interface.notifications import CHANNEL_OBJECTS
from interface.phone_numbers import country
from interface.results import Result, result_info
from messaging_service.accounts.money import format_money
from messaging_service.clock import SECOND, Milliseconds
from messaging_service.message import Content, Message, Move
from messaging_service.process.flow import bill_before

NEVER_NOTIFIED = frozenset({Result.ACCEPTED, Result.CANCELLED})
"""Results that the response of a call tells already."""

_LONGEST_NUMBER = 64  # characters of what isn't a number, as many as a recipient may have
_WITHOUT_FLOW: tuple[Channel, dict[str, Any]] = (Channel.SMS, {})


def is_notified(move: Move) -> bool:
    """Whether the account hears of this move: its result changed and there is an address to tell it to."""
    return move.after.content.callback is not None and move.changes_result and move.after.state not in NEVER_NOTIFIED


def sent_message(move: Move, now: Milliseconds) -> dict[str, Any]:
    """Return the ``sentMessage`` event of a move as JSON-ready data; prices are text, ``timestamp`` Unix seconds."""
    message = move.after
    content = message.content
    channel, options = _step(content.flow, message.flow_index)
    return {
        "type": "outgoing",
        "request_id": content.request_id,
        "message_id": message.message_id,
        "gateway": channel.value,
        "timestamp": now // SECOND,
        "payload": None if content.payload is None else orjson.loads(content.payload),
        "to": {"phone_number": _phone_number(message)},
        "result": message.state.value,
        "result_info": _result_info(message.code, message.reason),
        CHANNEL_OBJECTS[channel]: _of_channel(message, channel, options),
    }


def _of_channel(message: Message, channel: Channel, options: dict[str, Any]) -> dict[str, Any]:
    before = bill_before(message)  # the object is the channel's own; steps before it told their own price
    facts = {
        "sender": _sender(message.content, options),
        "country": _country(message),
        "operator": message.mnc or 0,
        "price_czk": _price(message.price_czk - before["price_czk"]),
        "price_eur": _price(message.price_eur - before["price_eur"]),
        "count": message.parts,
    }
    if channel is Channel.SMS:
        facts["gateway"] = options.get("gateway") or Gateway.HIGH.value
    return facts


def _sender(content: Content, options: dict[str, Any]) -> str:
    return options.get("sender") or content.sender or ""


def _country(message: Message) -> int | None:
    """Return the mobile country code; what was refused before it was priced has that of its number."""
    if message.mcc is not None or message.phone_number is None:
        return message.mcc
    found = country(message.phone_number)
    return None if found is None else found.mcc


def _phone_number(message: Message) -> str:
    """Return a message's number; of what isn't one the digits, or as it was given where these don't say what it was."""
    if message.phone_number is not None:
        return message.phone_number
    digits = "".join(filter(_is_digit, message.recipient))
    is_written_out = not digits or any(map(str.isalpha, message.recipient))
    return (message.recipient if is_written_out else digits)[:_LONGEST_NUMBER]


def _is_digit(character: str) -> bool:
    return "0" <= character <= "9"


# The recipients of a campaign share few flows, codes and prices, and this runs thousands of times a second.
_result_info = lru_cache(maxsize=1024)(result_info)
_price = lru_cache(maxsize=1024)(format_money)


@lru_cache(maxsize=256)
def _step(flow: str | None, index: int) -> tuple[Channel, dict[str, Any]]:
    """Return the channel and the options of a flow's step. The options are shared: never change them."""
    if flow is None:
        return _WITHOUT_FLOW
    ((channel, options),) = orjson.loads(flow)[index].items()
    return Channel(channel), options
