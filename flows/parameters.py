"""The parameters of the flows, in the words of the people who fill in the form."""

import datetime as dt
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from interface.delivery_time import DeliveryTime
from interface.phone_numbers import DEFAULT_CALLING_CODE

Name = Annotated[str, Field(min_length=1, max_length=100)]


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
            "or tab) or JSON Lines (an object of columns a line). Or give a list below."
        ),
        examples=["examples/recipients.csv"],
    )
    recipients: list[str | dict[str, Any]] = Field(
        default=[],
        title="Recipients: list",
        description=(
            "Phone numbers, or objects with the names of columns. "
            "Prefect keeps parameters: prefer a file for real people."
        ),
        examples=[[{"phone": "+420 777 123 456", "name": "Jana", "city": "Brno"}]],
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
    datetime: dt.datetime | None = Field(
        default=None,
        title="Send at",
        description="When to send, in UTC unless it says otherwise. None, or a time past: at once.",
    )
    delivery_time: DeliveryTime | None = Field(
        default=None,
        title="Delivery window",
        description="Days and hours in which the provider may send; outside them it waits for the next.",
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
        if bool(self.recipients_file.strip()) == bool(self.recipients):
            raise ValueError("Give either a file of recipients or a list of them.")
        return self
