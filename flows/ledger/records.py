"""What goes into the ledger and comes out of it."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any


class BatchState(StrEnum):
    """Where a batch, which is one call, stands. Each value says who moves a batch there."""

    PLANNED = "planned"  # the plan, or a look-up that did not find it: certainly not at the provider
    CLAIMED = "claimed"  # the lease's owner, before the call: from here on it may be at the provider
    IN_DOUBT = "in_doubt"  # an outcome that nobody knows: lost response, killed process, incomplete answer
    ANSWERED = "answered"  # the provider's answer or a look-up, with the message ids: never sent again


class Way(StrEnum):
    """How a batch goes to the provider."""

    CALLS = "calls"  # one call of `/messages`, 1 to 10 message objects
    BULK = "bulk"  # one uploaded file, a message object a line; its `bulk_id` is the batch's id


@dataclass(frozen=True)
class PlannedRecipient:
    """One recipient; ``line`` is where it was read, ``phone_number`` digits with the calling code."""

    phone_number: str
    line: int


@dataclass(frozen=True)
class PlannedMessage:
    """One message object: a text, the 1 to 10 recipients who get it, and the window in which they may."""

    body: str
    recipients: tuple[PlannedRecipient, ...]
    delivery_time: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class PlannedBatch:
    """What goes to the provider at once: one call of 1 to 10 message objects, or one file."""

    messages: tuple[PlannedMessage, ...]
    wave: int = 1
    way: Way = Way.CALLS


@dataclass(frozen=True)
class PlannedWave:
    """Those whom one moment suits: nothing goes before ``opens_at`` or from ``closes_at`` on (Unix seconds).

    ``clocks`` are the kinds of clocks that its people live by, as `flows.planning.clocks` writes them.
    """

    number: int = 1
    opens_at: float | None = None
    closes_at: float | None = None
    clocks: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class Pace:
    """How a campaign is worked through; may be changed by starting it again.

    ``rate`` is messages a second over all waves at work. What follows is how long results are waited for.
    """

    rate: float | None = None
    follow_seconds: float = 600.0
    quiet_seconds: float = 60.0


@dataclass(frozen=True)
class CampaignSettings:
    """What all messages of a campaign share. ``tags`` are the person's own, normalised; ``flow`` the channels (2.1).

    ``hours`` are those on the recipients' own clocks, as the person wrote them.
    """

    account: str
    tags: tuple[str, ...]
    sender: str | None = None
    callback: str | None = None
    datetime: str | None = None
    delivery_time: Mapping[str, Any] | None = None
    flow: Sequence[Mapping[str, Any]] | None = None
    hours: Mapping[str, Any] | None = None

    @property
    def waits_at_provider(self) -> bool:
        """Whether the provider may keep messages until their time, so that they can be taken back."""
        return bool(self.datetime or self.delivery_time or self.hours)

    @classmethod
    def from_stored(cls, stored: Mapping[str, Any]) -> "CampaignSettings":
        """Read the settings as the ledger keeps them."""
        return cls(**{**stored, "tags": tuple(stored["tags"])})


@dataclass(frozen=True)
class CampaignPlan:
    """A campaign, ready to be written down.

    ``asked`` is a digest of what was asked for, where it may lead to another plan the next time; ``asked_by`` is the
    flow run. ``source`` is an account of who was read and left out, for reports.
    """

    name: str
    settings: CampaignSettings
    batches: Sequence[PlannedBatch]
    waves: Sequence[PlannedWave] = (PlannedWave(),)
    pace: Pace = field(default_factory=Pace)
    needs_approval: bool = False
    asked: str | None = None
    asked_by: str | None = None
    source: Mapping[str, Any] | None = None

    @property
    def fingerprint(self) -> str:
        """The same for the same settings, texts and recipients; whatever the order of the lines."""
        content = sorted(
            (recipient.phone_number, message.body)
            for batch in self.batches
            for message in batch.messages
            for recipient in message.recipients
        )
        later_fields = {"flow", "hours"}  # fields that ledgers written before them don't count
        settings = {name: value for name, value in asdict(self.settings).items() if name not in later_fields or value}
        written = json.dumps([settings, content], sort_keys=True)
        return hashlib.sha256(written.encode()).hexdigest()


@dataclass(frozen=True)
class Batch:
    """A batch as it stands in the ledger. Times are Unix seconds, ``tag`` is the whole tag set to send and look up."""

    id: str
    campaign_id: str
    wave: int
    way: Way
    tag: str
    state: BatchState
    attempts: int
    first_claimed_at: float | None
    claimed_at: float | None
    request_id: str | None
    messages: tuple[PlannedMessage, ...]

    @property
    def phone_numbers(self) -> tuple[str, ...]:
        """The recipients of all messages, in the order in which they are sent."""
        return tuple(recipient.phone_number for message in self.messages for recipient in message.recipients)


@dataclass(frozen=True)
class Answer:
    """The provider's answer to one call, by index of the message object."""

    request_id: str
    accepted: Mapping[int, str] = field(default_factory=dict)
    rejected: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Uploaded:
    """The provider has the batch's file; its messages' ids are learned with their results."""


@dataclass(frozen=True)
class NothingTaken:
    """The provider certainly took nothing of the call: the claim is undone."""


@dataclass(frozen=True)
class Unknown:
    """Nobody knows what became of the call; ``why`` is for the person who looks at it."""

    why: str


Outcome = Answer | Uploaded | NothingTaken | Unknown


@dataclass(frozen=True)
class Delivery:
    """The last known result of one message. Prices are millionths of a unit of the currency.

    ``message_id`` where it wasn't known before: an upload isn't answered with any.
    """

    result: str
    reason: str | None = None
    parts: int = 0
    price_czk: int = 0
    price_eur: int = 0
    message_id: str | None = None
