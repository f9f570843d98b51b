"""Reads the step of its flow that a message is on."""

from functools import lru_cache

from pydantic import TypeAdapter

from interface.flow_steps import FlowStep, SmsStep, SmsType, Step, ViberStep, WhatsappTemplateStep
from interface.message import DEFAULT_STEPS
from interface.parts import transliterate
from messaging_service.channels.channel import Button, TemplateUse
from messaging_service.message import Content, Message

_FLOW = TypeAdapter(list[FlowStep])


@lru_cache(maxsize=2048)
def _read(flow: str) -> tuple[Step, ...]:
    return tuple(item.step for item in _FLOW.validate_json(flow))


def steps_of(content: Content) -> tuple[Step, ...]:
    """Return all steps of a message object."""
    return DEFAULT_STEPS if content.flow is None else _read(content.flow)


def step_of(message: Message) -> Step:
    """Return the step that a message is on."""
    return steps_of(message.content)[message.flow_index]


def has_next_step(message: Message) -> bool:
    """Whether the flow goes on after the step that a message is on."""
    return message.flow_index + 1 < len(steps_of(message.content))


def long_text_of(step: Step, content: Content) -> str:
    """Return the text of a step as it was written: its own or the message's, with its links as they are."""
    return step.body or content.body or ""


def text_of(step: Step, message: Message) -> str:
    """Return the text that the present step sends, transliterated where it asks for that."""
    text = message.short_text or long_text_of(step, message.content)
    if isinstance(step, SmsStep) and step.type is SmsType.SMS:
        return transliterate(text)
    return text


def template_of(step: Step) -> TemplateUse | None:
    """Return the template that a step uses, with its values; None for a step that sends a text."""
    if not isinstance(step, WhatsappTemplateStep):
        return None
    values = (tuple(step.params or ()), tuple(step.params_header or ()), tuple(step.params_buttons or ()))
    return TemplateUse(step.template_name, step.language, *values)


def button_of(step: Step) -> Button | None:
    """Return the button under a step's text."""
    if not isinstance(step, ViberStep) or not step.buttons:
        return None
    return Button(step.buttons[0].title, step.buttons[0].url)


def sender_of(step: Step, content: Content) -> str:
    """Return the sender of a step: its own, the message's, or the key's default."""
    return step.sender or content.sender
