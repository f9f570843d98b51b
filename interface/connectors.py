"""Marketing platforms and the recipients they know (specification 2.9, 4.3, details "connector")."""

from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from interface import patterns
from interface.responses import Response

_EXAMPLE_SEGMENT = "SPRING1"

ConnectorText = Annotated[str, StringConstraints(pattern=patterns.NOT_EMPTY, max_length=255)]
"""A name that a platform gave: 1 to 255 characters."""


class ConnectorAction(StrEnum):
    """What a connector can be asked for."""

    SEGMENTS = "segments"
    RECIPIENTS = "recipients"
    SENDERS = "senders"
    ME = "me"


class ConnectorRequest(BaseModel):
    """Which user of the platform a call is about, and for ``recipients`` which segment."""

    model_config = ConfigDict(
        frozen=True,
        json_schema_extra={"examples": [{"app_userid": "shop", "segment_id": _EXAMPLE_SEGMENT}]},
    )

    app_userid: ConnectorText = Field(description="The user whose credentials the service holds.")
    segment_id: ConnectorText | None = Field(default=None, description="Required by `recipients`.")


class ConnectorSegment(Response):
    """A group of recipients, as the platform names it."""

    id: str = Field(examples=[_EXAMPLE_SEGMENT])
    name: str = Field(default="", examples=["Spring sale"])


class ConnectorSender(Response):
    """A sender that the platform knows; ``type`` is the channel."""

    type: str = Field(examples=["sms"])
    name: str = Field(default="", examples=["Dovecote"])


class ConnectorAccount(Response):
    """The platform's account."""

    id: str | None = Field(default=None, examples=["AbC123"])
    name: str | None = Field(default=None, examples=["Dovecote Shop"])


class ConnectorAnswer(Response):
    """What a platform told; which field is there follows from the action.

    ``success`` is false, with a ``message``, when the platform refuses our credentials.
    """

    success: bool
    message: str | None = Field(default=None, examples=["klaviyo refuses the credentials of this app_userid."])
    segments: list[ConnectorSegment] | None = None
    recipients: list[str] | None = Field(default=None, examples=[["420777123456"]])
    senders: list[ConnectorSender] | None = None
    account: ConnectorAccount | None = None
    currency: str | None = Field(default=None, examples=["CZK"])


class ConnectorMe(Response):
    """The account that a platform knows us by; ``currency`` is that in which it is kept."""

    account: ConnectorAccount
    currency: str | None = None
