"""Answers an inbound message: a keyword of ``params._incoming.reply``, or the confirmation of an opt-out."""

from typing import Any

import orjson
from sqlalchemy import Connection

from interface.flow_steps import Channel
from interface.message import MessageRequest
from messaging_service.accept.planning import Caller, Plan, plan_recipients
from messaging_service.identifiers import new_id
from messaging_service.inbound.consent import Consent
from messaging_service.inbound.occasion import Occasion
from messaging_service.inbound.words import confirmation, plain
from messaging_service.store import messages

TAG = "transactional"
"""Of answers: whoever has just written waits for one, so an opt-out doesn't block it."""
# Whoever writes in WhatsApp has opened a conversation, in which no template is needed.
_CHAT_CHANNELS = {Channel.WHATSAPP_TEMPLATE: Channel.WHATSAPP_TEXT}


def answer_to(occasion: Occasion, consent: Consent) -> str | None:
    """Return the text that answers, None for silence. An opt-out is confirmed once, in the account's words or ours."""
    inbound = occasion.inbound
    keywords = {plain(keyword): text for keyword, text in (occasion.handling.reply or {}).items()}
    text = keywords.get(plain(inbound.body)) or None
    if consent is Consent.WITHDRAWN_AGAIN:
        return None
    return text or confirmation(inbound.phone_number) if consent is Consent.WITHDRAWN else text


def send_answer(connection: Connection, caller: Caller, occasion: Occasion, text: str) -> None:
    """Accept an answer as a message of the caller's key, on the channel and from the sender that was written to.

    What is written next answers this message: so it carries on what the one before said about answers.
    """
    inbound = occasion.inbound
    request: dict[str, Any] = {"to": [{"phone_number": inbound.phone_number}], "body": text, "tag": TAG}
    request |= {"sender": inbound.recipient, **_carried_on(occasion)}
    if inbound.channel is not Channel.SMS:
        channel = _CHAT_CHANNELS.get(inbound.channel, inbound.channel)
        request["flow"] = [{channel.value: {"sender": inbound.recipient}}]
    plan = Plan(new_id())
    plan_recipients(plan, caller, MessageRequest.model_validate(request))
    messages.add(connection, plan.contents, plan.addressees)


def _carried_on(occasion: Occasion) -> dict[str, Any]:
    """Return what an answer takes over: callback, payload and handling, with the keywords that weren't used yet.

    Each keyword is answered once, so that two machines that write to each other come to an end.
    """
    if occasion.answered is None:
        return {}
    content = occasion.answered.content
    used = plain(occasion.inbound.body)
    left = {keyword: text for keyword, text in (occasion.handling.reply or {}).items() if plain(keyword) != used}
    handling = occasion.handling.model_copy(update={"reply": left or None})
    return {
        "callback": content.callback,
        "payload": None if content.payload is None else orjson.loads(content.payload),
        "params": {"_incoming": handling.model_dump(mode="json", exclude_none=True)},
    }
