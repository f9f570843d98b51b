"""The parameters of the flows, in the words of the people who fill in the form."""

import datetime as dt
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from flows.planning.clocks import Hours
from interface.connectors import ConnectorText
from interface.delivery_time import DeliveryTime, Weekday
from interface.phone_numbers import DEFAULT_CALLING_CODE

Name = Annotated[str, Field(min_length=1, max_length=100)]
TimeOfDay = Annotated[str, Field(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]$")]


class Segment(BaseModel):
    """A segment of a marketing platform, whose members get the text."""

    model_config = ConfigDict(frozen=True)

    connector: ConnectorText = Field(title="Connector", description="Name of the platform.", examples=["klaviyo"])
    app_userid: ConnectorText = Field(
        title="User", description="The user whose credentials for the platform the service holds."
    )
    segment: ConnectorText = Field(title="Segment", description="Its id, or its name.", examples=["Spring sale"])


class LocalHours(BaseModel):
    """Hours on each recipient's own clock. Those whom the present doesn't suit get the text at the next that does."""

    model_config = ConfigDict(frozen=True, title="These hours")

    days: Annotated[list[Weekday], Field(min_length=1)] = Field(
        default=list(Weekday), title="Days", description="Days of the week on which one may write."
    )
    start: TimeOfDay = Field(default="09:00", title="From", description="Local time, HH:MM.")
    end: Annotated[str, Field(pattern=r"^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$")] = Field(
        default="20:00",
        title="Until",
        description="Local time, HH:MM, exclusive. Earlier than 'From': on the following day.",
    )
    zone_column: str = Field(
        default="",
        title="Column of time zones",
        description="Has each recipient's zone, such as Europe/Prague. Empty: by the number's country and area.",
    )
    zone_if_unknown: str = Field(
        default="UTC",
        title="Zone of the others",
        description="For recipients whose number tells no zone.",
        examples=["Europe/Prague"],
    )
    holidays: bool = Field(
        default=False,
        title="Not on public holidays",
        description="Those of the country of the number; needs the package 'holidays' where the flow runs.",
    )

    @model_validator(mode="after")
    def _is_a_window(self) -> Self:
        self.as_hours()
        return self

    def as_hours(self) -> Hours:
        """Return them as the flows reckon with them."""
        window = DeliveryTime.model_validate(
            {"days": self.days, "start": self.start, "end": self.end, "tz": self.zone_if_unknown}
        )
        return Hours(window, self.zone_column.strip() or None, self.holidays)


class Campaign(BaseModel):
    """One text to many recipients. Start the same campaign again to continue it: nobody gets it twice."""

    model_config = ConfigDict(frozen=True)

    name: Name = Field(
        title="Name",
        description=(
            "Names the campaign in tags, artifacts and the ledger. The same name with the same content continues that "
            "campaign; with other content it is refused."
        ),
        examples=["spring-sale-2026"],
    )
    text: Annotated[str, Field(min_length=1)] = Field(
        title="Text",
        description=(
            "What they get. {column} stands for the recipient's own value of that column; {{ and }} for braces. "
            "At most 1000 characters once filled in."
        ),
        examples=["Hello {name}, our shop in {city} opens on Monday."],
    )
    recipients_file: str = Field(
        default="",
        title="Recipients: file",
        description=(
            "Path on the machine where the flow runs, or http(s) address: CSV (UTF-8, with a header; comma, semicolon "
            "or tab) or JSON Lines (an object of columns a line). Or give a list or a segment below."
        ),
        examples=["examples/recipients.csv"],
    )
    recipients: list[str | dict[str, Any]] = Field(
        default=[],
        title="Recipients: list",
        description=(
            "Phone numbers in quotes, or objects with the names of columns; both as JSON. "
            "Prefect keeps parameters: prefer a file for real people."
        ),
        examples=[[{"phone": "+420 777 123 456", "name": "Jana", "city": "Brno"}]],
    )
    recipients_segment: Segment | None = Field(
        default=None,
        title="Recipients: segment",
        description="The members of a segment of a marketing platform.",
    )
    phone_column: str = Field(
        default="",
        title="Column of phone numbers",
        description="Empty: found by its name (phone, phone_number, number, mobile, msisdn, telefon, …).",
    )
    calling_code: Annotated[str, Field(pattern=r"^[1-9][0-9]{0,2}$")] = Field(
        default=DEFAULT_CALLING_CODE,
        title="Calling code of national numbers",
        description="Put before numbers that are written without one.",
        examples=["420"],
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
        examples=["spring-sale"],
    )
    callback: str = Field(
        default="",
        title="Callback",
        description="Address that gets the notifications. Empty: the account's default.",
        examples=["https://example.com/results"],
    )
    datetime: Annotated[dt.datetime, Field(title="At this time")] | None = Field(
        default=None,
        title="Send at",
        description="When to send, in UTC unless it says otherwise. None, or a time past: at once.",
    )
    delivery_time: DeliveryTime | None = Field(
        default=None,
        title="Delivery window",
        description=(
            "Days and hours, in one time zone, in which the provider may send; outside them it waits for the next."
        ),
    )
    local_hours: LocalHours | None = Field(
        default=None,
        title="Hours on the recipients' clocks",
        description=(
            "Days and hours in which people may be written to, each by their own clock. Who is outside them now is "
            "written to by a run of its own, later; these runs are shown, and may be cancelled, in Prefect."
        ),
    )
    approval: bool = Field(
        default=False,
        title="Ask for approval",
        description="Stop with a preview until a person approves it, changes the text, or refuses.",
    )
    approval_hours: Annotated[float, Field(gt=0, le=24 * 30)] = Field(
        default=24,
        title="Wait for approval (hours)",
        description="Without an answer the run fails after this time, and nothing is sent.",
    )
    rate: Annotated[float, Field(gt=0, le=100_000, title="At most")] | None = Field(
        default=None,
        title="Messages a second",
        description="At most so many, on average, over all of the campaign's runs. None: as fast as may be.",
    )
    bulk_from: Annotated[int, Field(ge=0)] = Field(
        default=10_000,
        title="Upload from (recipients)",
        description="So many recipients at once, or more, go as uploaded files; 0, or with a rate: as calls.",
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
    def _has_one_source(self) -> Self:
        sources = (self.recipients_file.strip(), self.recipients, self.recipients_segment)
        if sum(map(bool, sources)) != 1:
            raise ValueError("Give the recipients once: a file, a list or a segment of them.")
        return self

    @model_validator(mode="after")
    def _has_one_window(self) -> Self:
        if self.delivery_time is not None and self.local_hours is not None:
            raise ValueError("Give either a delivery window or hours on the recipients' clocks, not both.")
        return self
