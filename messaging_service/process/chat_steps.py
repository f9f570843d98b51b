"""What steps of messaging apps need before they may leave: a conversation, or an approved template (details, "flow").

The codes are those of the WhatsApp platform, which says the same where it is asked itself.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from pydantic import ValidationError
from sqlalchemy import Connection

from interface.chat_templates import TemplateStatus
from interface.flow_steps import Channel, Step, WhatsappTemplateStep, WhatsappTextStep
from messaging_service.clock import HOUR, Milliseconds
from messaging_service.message import Message
from messaging_service.process.steps import sender_of, step_of
from messaging_service.store import chat_templates, inbox
from messaging_service.store.chat_templates import KnownTemplate

CONVERSATION: Milliseconds = 24 * HOUR
"""How long after a person's last message texts may go to that person."""
_WHATSAPP = (Channel.WHATSAPP_TEXT, Channel.WHATSAPP_TEMPLATE)

TemplateKey = tuple[int, str, str]
"""Account, name and language."""


class Obstacle(NamedTuple):
    """Why a step can't leave: the platform's code, and a sentence."""

    code: int
    reason: str


NO_CONVERSATION = Obstacle(131047, "More than 24 hours since the recipient's last message")
NO_TEMPLATE = Obstacle(132001, "Template does not exist in this language or is not approved")
WRONG_PARAMETERS = Obstacle(132000, "Number of parameters does not match the template")


@dataclass(frozen=True, slots=True)
class ChatFacts:
    """What the store knows about the chat steps of a batch."""

    conversations: AbstractSet[inbox.Conversation] = frozenset()
    templates: Mapping[TemplateKey, Sequence[KnownTemplate]] = field(default_factory=dict)


def gather_chat_facts(connection: Connection, known: Iterable[Message], now: Milliseconds) -> ChatFacts:
    """Return what the store knows. Without WhatsApp steps it isn't asked."""
    texts, templates = [], []
    for message in known:
        step = _whatsapp_step(message)
        texts += [message] if isinstance(step, WhatsappTextStep) else []
        templates += [(message.content.account_id, step)] if isinstance(step, WhatsappTemplateStep) else []
    return ChatFacts(
        inbox.conversations(connection, _numbers(texts), _WHATSAPP, now - CONVERSATION) if texts else frozenset(),
        _by_key(chat_templates.known(connection, {(account, step.template_name) for account, step in templates})),
    )


def _whatsapp_step(message: Message) -> Step | None:
    """Return the step of a message that may be one of WhatsApp; about one that can't be read its decision fails."""
    if message.content.flow is None or "whatsapp" not in message.content.flow:
        return None
    with suppress(ValidationError):
        return step_of(message)
    return None


def obstacle_of(message: Message, facts: ChatFacts, *, all_templates_known: bool) -> Obstacle | None:
    """Return why the step of a message can't leave, None when it may."""
    step = step_of(message)
    if isinstance(step, WhatsappTextStep):
        return None if _conversation(message, step) in facts.conversations else NO_CONVERSATION
    if isinstance(step, WhatsappTemplateStep):
        found = facts.templates.get((message.content.account_id, step.template_name, step.language), ())
        return _obstacle_of_template(step, found, all_templates_known=all_templates_known)
    return None


def _obstacle_of_template(
    step: WhatsappTemplateStep, found: Sequence[KnownTemplate], *, all_templates_known: bool
) -> Obstacle | None:
    if not found and not all_templates_known:
        return None
    approved = [template for template in found if template.status == TemplateStatus.APPROVED]
    if not approved:
        return NO_TEMPLATE
    given = (len(step.params or ()), len(step.params_header or ()), len(step.params_buttons or ()))
    return None if any(template.counts == given for template in approved) else WRONG_PARAMETERS


def _conversation(message: Message, step: Step) -> inbox.Conversation:
    return message.content.account_id, message.phone_number or "", sender_of(step, message.content).casefold()


def _numbers(messages: Iterable[Message]) -> set[str]:
    return {message.phone_number for message in messages if message.phone_number}


def _by_key(found: Iterable[tuple[TemplateKey, KnownTemplate]]) -> Mapping[TemplateKey, Sequence[KnownTemplate]]:
    by_key: dict[TemplateKey, list[KnownTemplate]] = {}
    for key, template in found:
        by_key.setdefault(key, []).append(template)
    return by_key
