"""What every way out offers: take a batch of submissions, answer each, and report receipts later."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Protocol

from interface.flow_steps import Channel
from interface.results import Result, ResultCode
from messaging_service.clock import Milliseconds


@dataclass(frozen=True, slots=True)
class TemplateUse:
    """An approved template of a messaging app, with the values for its parts."""

    name: str
    language: str
    body: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    buttons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Button:
    """A button under a text."""

    title: str
    url: str


@dataclass(frozen=True, slots=True)
class Submission:
    """One message on its way to an operator, on one step of its flow. It holds no more than the operator needs."""

    message_id: str
    flow_index: int
    channel: Channel
    sender: str
    phone_number: str
    text: str
    template: TemplateUse | None = None
    button: Button | None = None


class Taken(Enum):
    """What an operator said to a submission."""

    YES = auto()  # it has the message: sent
    NO = auto()  # it refused the message for good: failed
    LATER = auto()  # it is throttling; it doesn't have the message
    UNKNOWN = auto()  # no answer, or one that we don't understand: it may or may not have the message


@dataclass(frozen=True, slots=True)
class Answer:
    """An operator's answer to one submission. ``retry_in`` goes with LATER, code and reason with NO: either or both."""

    taken: Taken
    retry_in: Milliseconds = 0
    code: int | None = ResultCode.FAILED
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Receipt:
    """What an operator reports later about a submission that it took."""

    message_id: str
    flow_index: int
    result: Result
    at: Milliseconds
    code: int | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Inbound:
    """A message that somebody wrote to one of our senders.

    ``id`` is the operator's own, with its name before it; a message that comes again with it is the same message.
    """

    id: str
    channel: Channel
    phone_number: str
    recipient: str
    body: str
    at: Milliseconds


OnReceipts = Callable[[Sequence[Receipt]], Awaitable[None]]
"""Called by a channel with each batch of receipts; once it returns they are on disk."""
OnInbound = Callable[[Sequence[Inbound]], Awaitable[None]]
"""Called by a channel with each batch of inbound messages; once it returns they are on disk."""


class WayOut(Protocol):
    """A channel's connection to its operator."""

    recognises_repeats: bool
    """Whether a message submitted twice is delivered once, so that a submission in doubt may be made again."""

    async def submit(self, submissions: Sequence[Submission]) -> Sequence[Answer]:
        """Hand messages over. Returns one answer a submission, in order; raises when none can be told."""
        ...

    async def run(self) -> None:
        """Receive receipts until cancelled."""
        ...
