"""What the synchronisation of a segment is asked for, and the campaign that comes of it."""

import hashlib
from collections.abc import Sequence
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from flows.ledger import CampaignPlan
from flows.ledger.choices import SendTo
from flows.ledger.frequency import FrequencyCap
from flows.parameters import Campaign, LocalHours, Name, Segment
from flows.planning.facts import Facts
from flows.planning.preparing import INLINE_COLUMN, Asked, prepare
from flows.planning.written_plan import written
from flows.recipients.reading import Recipients, read_recipients
from flows.recipients.sources import read_inline
from interface.delivery_time import DeliveryTime
from interface.phone_numbers import DEFAULT_CALLING_CODE

EXAMPLE_NUMBER = "420777777777"
"""The interface's test number, for checking what all members share before the platform is asked."""


class Cap(BaseModel):
    """At most so many messages to one person within so many days, over all campaigns of the ledger."""

    model_config = ConfigDict(frozen=True, title="At most")

    messages: Annotated[int, Field(ge=1, le=1000)] = Field(
        default=1, title="Messages", description="To one person, whatever the campaign."
    )
    days: Annotated[float, Field(gt=0, le=3660)] = Field(
        default=7, title="Days", description="Back from now. What is planned and hasn't gone counts too."
    )


class SegmentSync(BaseModel):
    """Write to those who joined a segment since the last run. The members are remembered under the name."""

    model_config = ConfigDict(frozen=True)

    name: Annotated[str, Field(min_length=1, max_length=80)] = Field(
        title="Name",
        description=(
            "Under which the members are remembered. Two synchronisations of one segment, such as a welcome and a "
            "good-bye, have a name each."
        ),
        examples=["welcome"],
    )
    segment: Segment = Field(title="Segment", description="Whose members are followed.")
    text: str = Field(
        default="",
        title="Text",
        description="At most 1000 characters. {phone_number} is the member's number; {{ and }} are braces.",
        examples=["Welcome! Show this message in our shop for 10 % off."],
    )
    send_to: SendTo = Field(
        default=SendTo.NEW,
        title="Send to",
        description=(
            "new: who joined since the last run; in the first run, all. all: all members in each run. left: who was a "
            "member in the last run and isn't any more. nobody: only remember the members."
        ),
    )
    cap: Cap | None = Field(
        default=None,
        title="Frequency cap",
        description=(
            "Who has had so many messages already gets none now; new members get it in a later run, once they may."
        ),
    )
    may_shrink_by: Annotated[float, Field(gt=0, le=1)] = Field(
        default=0.5,
        title="May shrink by",
        description=(
            "A share, 0 to 1. When so many of the members are gone, the run stops, and nothing is remembered or sent. "
            "1: it never stops."
        ),
    )
    sender: str = Field(
        default="",
        title="Sender",
        description="A name of at most 11 characters or a number. Empty: the account's default.",
        examples=["Dovecote"],
    )
    tag: str = Field(
        default="",
        title="Tags",
        description=(
            "Labels for statistics, with commas between. 'promotional' is added, so that opt-outs are respected, "
            "unless one of them is 'transactional' or 'priority'."
        ),
        examples=["welcome"],
    )
    delivery_time: DeliveryTime | None = Field(
        default=None,
        title="Delivery window",
        description="Days and hours, in one time zone, in which the provider may send; outside them it waits.",
    )
    local_hours: LocalHours | None = Field(
        default=None,
        title="Hours on the recipients' clocks",
        description="Who is outside them now is written to by a run of its own, later.",
    )
    calling_code: Annotated[str, Field(pattern=r"^[1-9][0-9]{0,2}$")] = Field(
        default=DEFAULT_CALLING_CODE,
        title="Calling code of national numbers",
        description="Put before numbers that are written without one.",
        examples=["420"],
    )
    account: Name = Field(
        default="main",
        title="Account",
        description="Name of the block 'Messaging Account' that holds the key and the addresses.",
    )
    follow_minutes: Annotated[float, Field(ge=0, le=120)] = Field(
        default=10,
        title="Follow results for (minutes)",
        description="The report is made when all results are known, at the latest after this time. 0: don't wait.",
    )
    quiet_seconds: Annotated[float, Field(ge=1, le=3600)] = Field(
        default=60,
        title="Missing receipts: stop after (seconds)",
        description="When all was handed over and no receipt came for this long, the report is made without the rest.",
    )

    @model_validator(mode="after")
    def _has_a_text(self) -> Self:
        if not self.text.strip() and self.send_to is not SendTo.NOBODY:
            raise ValueError("Give the text that they get, or send to nobody.")
        return self

    @property
    def frequency_cap(self) -> FrequencyCap | None:
        """The cap as the ledger reckons with it."""
        return FrequencyCap(self.cap.messages, self.cap.days) if self.cap else None

    def campaign(self, run: int, numbers: Sequence[str]) -> Campaign:
        """Return the campaign of a run (from 1) to these numbers."""
        shared = self.model_dump(
            include={"text", "sender", "tag", "calling_code", "account", "follow_minutes", "quiet_seconds"}
        )
        return Campaign(
            name=f"segment {self.name} {run:04}",
            recipients=list(numbers),
            delivery_time=self.delivery_time,
            local_hours=self.local_hours,
            **shared,
        )


def check_text(wanted: SegmentSync, now: float) -> None:
    """Raise `FlowProblem` for what could be sent to nobody."""
    if wanted.send_to is not SendTo.NOBODY:
        plan_of(wanted, 1, [EXAMPLE_NUMBER], Facts(), now)


def plan_of(wanted: SegmentSync, run: int, numbers: Sequence[str], facts: Facts, now: float) -> CampaignPlan:
    """Plan a run's messages; the same run of the same name is the same campaign."""
    campaign = wanted.campaign(run, numbers)
    asked = Asked(hashlib.sha256(campaign.name.encode()).hexdigest())
    return written(prepare(campaign, read_inline(numbers, INLINE_COLUMN), now, asked), facts)


def members_in(wanted: SegmentSync, told: Sequence[str]) -> Recipients:
    """Normalise and deduplicate what the platform told; raises `RecipientsProblem` when none of it is a number."""
    if not told:
        return Recipients((), (), 0, (INLINE_COLUMN,))
    return read_recipients(read_inline(told, INLINE_COLUMN), INLINE_COLUMN, wanted.calling_code)
