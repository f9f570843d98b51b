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


@dataclass(frozen=True)
class PlannedRecipient:
    """One recipient; ``line`` is where it was read, ``phone_number`` digits with the calling code."""

    phone_number: str
    line: int


@dataclass(frozen=True)
class PlannedMessage:
    """One message object: a text and the 1 to 10 recipients who get it."""

    body: str
    recipients: tuple[PlannedRecipient, ...]


@dataclass(frozen=True)
class PlannedBatch:
    """One call: 1 to 10 message objects."""

    messages: tuple[PlannedMessage, ...]


@dataclass(frozen=True)
class CampaignSettings:
    """What all messages of a campaign share. ``tags`` are the person's own, normalised; ``flow`` the channels (2.1)."""

    account: str
    tags: tuple[str, ...]
    sender: str | None = None
    callback: str | None = None
    datetime: str | None = None
    delivery_time: Mapping[str, Any] | None = None
    flow: Sequence[Mapping[str, Any]] | None = None

    @classmethod
    def from_stored(cls, stored: Mapping[str, Any]) -> "CampaignSettings":
        """Read the settings as the ledger keeps them."""
        return cls(**{**stored, "tags": tuple(stored["tags"])})


@dataclass(frozen=True)
class CampaignPlan:
    """A campaign, ready to be written down."""

    name: str
    settings: CampaignSettings
    batches: Sequence[PlannedBatch]

    @property
    def fingerprint(self) -> str:
        """The same for the same settings, texts and recipients; whatever the order of the lines."""
        content = sorted(
            (recipient.phone_number, message.body)
            for batch in self.batches
            for message in batch.messages
            for recipient in message.recipients
        )
        settings = {name: value for name, value in asdict(self.settings).items() if name != "flow" or value}
        written = json.dumps([settings, content], sort_keys=True)
        return hashlib.sha256(written.encode()).hexdigest()


@dataclass(frozen=True)
class Batch:
    """A batch as it stands in the ledger. Times are Unix seconds, ``tag`` is the whole tag set to send and look up."""

    id: str
    campaign_id: str
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
class Delivery:
    """The last known result of one message. Prices are millionths of a unit of the currency."""

    result: str
    reason: str | None = None
    parts: int = 0
    price_czk: int = 0
    price_eur: int = 0
