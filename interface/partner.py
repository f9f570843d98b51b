"""Partners: customers that they bring, and the devices and people of their apps (details, "partner")."""

from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from interface import patterns
from interface.connectors import ConnectorText
from interface.credit import Email
from interface.message import UtcDatetime
from interface.null import OrDefault
from interface.responses import Response
from interface.texts import HttpUrl, Text

_MOMENT = "2026-03-01T12:00:00.000Z"
_DEVICE = "d41d8cd9-8f00-4204-a980-0998ecf8427e"
_Line = Annotated[str, StringConstraints(pattern=patterns.LINE, max_length=200)]


class PartnerSignup(BaseModel):
    """A customer whom a partner brings; the customer confirms at the address that the answer tells."""

    model_config = ConfigDict(
        frozen=True,
        json_schema_extra={
            "examples": [{"name": "Obchod s.r.o.", "email": "ucetni@example.com", "app_userid": "customer-17"}]
        },
    )

    name: OrDefault[_Line] = Field(default="", description="The customer's name, for invoices.")
    email: Email | None = Field(default=None, description="The customer's e-mail address, for invoices.")
    app_userid: ConnectorText | None = Field(
        default=None, description="The partner's own name of the customer; absent: one is made."
    )
    return_url: HttpUrl | None = Field(default=None, description="Where the customer is led afterwards.")


class PartnerSignupResponse(Response):
    """Where to send the customer. Once confirmed, ``/apikey/add`` with ``app_userid`` tells the customer's key."""

    success: bool
    token: str = Field(examples=["eyJhcHBfdXNlcmlkIjoiY3VzdG9tZXItMTcifQ.c2lnbmF0dXJl"], repr=False)
    redirect_url: str = Field(
        examples=["https://dovecote.example/v1/partner/signup/eyJhcHBfdXNlcmlkIjoiY3VzdG9tZXItMTcifQ.c2lnbmF0dXJl"],
        repr=False,
    )
    app_userid: str | None = Field(default=None, examples=["customer-17"])
    ts_expires: UtcDatetime | None = Field(default=None, examples=[_MOMENT])


class Platform(StrEnum):
    """What a device takes pushes with."""

    ANDROID = "android"
    IOS = "ios"
    WEB = "web"


class PushDevice(BaseModel):
    """A device on which an app of the calling key runs. The same again brings it up to date."""

    model_config = ConfigDict(
        frozen=True,
        json_schema_extra={"examples": [{"device_id": _DEVICE, "platform": "android", "token": "fcm-token"}]},
    )

    device_id: ConnectorText = Field(description="The app's own name of this installation, the same every time.")
    platform: Platform
    token: Annotated[Text, Field(max_length=4096)] = Field(
        repr=False, description="What the platform gave the app to be reached by; empty: it can't be reached any more."
    )


class RegisteredDevice(Response):
    """A device as the service knows it; never its token."""

    device_id: str = Field(examples=[_DEVICE])
    platform: str = Field(default="", examples=["android"])
    reachable: bool = True
    ts_registered: UtcDatetime | None = Field(default=None, examples=[_MOMENT])


class PushDeviceResponse(Response):
    """The envelope of ``POST /push/device``."""

    success: bool
    device: RegisteredDevice | None = None


class RecipientRegister(BaseModel):
    """Somebody who uses an app of the calling key. The same number again is the same recipient."""

    model_config = ConfigDict(
        frozen=True,
        json_schema_extra={"examples": [{"phone_number": "420777123456", "device_id": _DEVICE, "name": "Jana"}]},
    )

    phone_number: Annotated[str, StringConstraints(min_length=1, max_length=64)] = Field(
        description="In any common writing."
    )
    device_id: ConnectorText | None = Field(default=None, description="A registered device that is this recipient's.")
    name: _Line | None = Field(default=None, description="Absent: as it was.")


class RegisteredRecipient(Response):
    """A recipient as the service knows it."""

    recipient_id: str = Field(examples=["0199f0c2-4e7c-7e4c-979f-0e5b7d1d3c9a"])
    phone_number: str = Field(default="", examples=["420777123456"])
    name: str = Field(default="", examples=["Jana"])
    device_ids: list[str] = Field(default=[], examples=[[_DEVICE]])
    ts_registered: UtcDatetime | None = Field(default=None, examples=[_MOMENT])


class RecipientResponse(Response):
    """The envelope of ``POST /recipient/register``."""

    success: bool
    recipient: RegisteredRecipient
