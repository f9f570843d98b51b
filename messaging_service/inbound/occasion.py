"""An inbound message with whose it is, and how the message that it answers wants answers handled. Pure."""

from dataclasses import dataclass

from interface.special_parameters import IncomingHandling, SpecialParameters
from messaging_service.accounts.keys import Key
from messaging_service.channels.channel import Inbound
from messaging_service.message import Message

_NO_HANDLING = IncomingHandling()


@dataclass(frozen=True, slots=True)
class Occasion:
    """What somebody wrote, to which key, in answer to what, and what is asked for then (``params._incoming``)."""

    inbound: Inbound
    key: Key
    answered: Message | None
    handling: IncomingHandling


def handling_of(answered: Message | None) -> IncomingHandling:
    """Return how a message wants answers to it handled."""
    if answered is None or answered.content.params is None:
        return _NO_HANDLING
    return SpecialParameters.model_validate_json(answered.content.params).incoming or _NO_HANDLING
