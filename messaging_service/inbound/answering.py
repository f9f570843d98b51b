"""Answers an inbound message: a keyword of ``params._incoming.reply``, or the confirmation of an opt-out."""

from collections.abc import Mapping

from sqlalchemy import Connection

from interface.flow_steps import Channel
from interface.message import MessageRequest
from messaging_service.accept.planning import Caller, Plan, plan_recipients
from messaging_service.channels.channel import Inbound
from messaging_service.identifiers import new_id
from messaging_service.inbound.consent import Consent
from messaging_service.inbound.words import confirmation, plain
from messaging_service.store import messages

TAG = "transactional"
"""Of answers: whoever has just written waits for one, so an opt-out doesn't block it."""
# Whoever writes in WhatsApp has opened a conversation, in which no template is needed.
_CHAT_CHANNELS = {Channel.WHATSAPP_TEMPLATE: Channel.WHATSAPP_TEXT}


def answer_to(inbound: Inbound, consent: Consent, replies: Mapping[str, str]) -> str | None:
    """Return the text that answers, None for silence. An opt-out is confirmed once, in the account's words or ours."""
    keywords = {plain(keyword): text for keyword, text in replies.items()}
    text = keywords.get(plain(inbound.body)) or None
    if consent is Consent.WITHDRAWN_AGAIN:
        return None
    return text or confirmation(inbound.phone_number) if consent is Consent.WITHDRAWN else text


def send_answer(connection: Connection, caller: Caller, inbound: Inbound, text: str) -> None:
    """Accept an answer as a message of the caller's key, on the channel and from the sender that was written to."""
    request = {"to": [{"phone_number": inbound.phone_number}], "body": text, "sender": inbound.recipient, "tag": TAG}
    if inbound.channel is not Channel.SMS:
        channel = _CHAT_CHANNELS.get(inbound.channel, inbound.channel)
        request["flow"] = [{channel.value: {"sender": inbound.recipient}}]
    plan = Plan(new_id())
    plan_recipients(plan, caller, MessageRequest.model_validate(request))
    messages.add(connection, plan.contents, plan.addressees)
