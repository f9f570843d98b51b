"""The calls of partners and their apps (specification 1, details "partner")."""

from typing import Final

from pydantic import BaseModel, TypeAdapter

from interface.calls.call import Base, Call, ErrorAnswer
from interface.calls.errors import SETTINGS_ERRORS
from interface.partner import (
    PartnerSignup,
    PartnerSignupResponse,
    PushDevice,
    PushDeviceResponse,
    RecipientRegister,
    RecipientResponse,
)

PARTNER_SIGNUP: Final = Call(
    name="partner_signup",
    method="POST",
    path="/partner/signup",
    base=Base.REST,
    group="partner",
    summary="Bring a customer",
    description=(
        "Makes nothing yet: the customer confirms at `redirect_url` within an hour, and has a sub-key with credit of "
        "its own from then on, which `/apikey/add` tells by its `app_userid`."
    ),
    body=TypeAdapter(PartnerSignup),
    answer=PartnerSignupResponse,
    errors=SETTINGS_ERRORS,
)

PUSH_DEVICE: Final = Call(
    name="push_device",
    method="POST",
    path="/push/device",
    base=Base.REST,
    group="partner",
    summary="Register a device",
    description="403 when the device is another key's.",
    body=TypeAdapter(PushDevice),
    answer=PushDeviceResponse,
    errors=SETTINGS_ERRORS,
)

RECIPIENT_REGISTER: Final = Call(
    name="recipient_register",
    method="POST",
    path="/recipient/register",
    base=Base.REST,
    group="partner",
    summary="Register a recipient",
    description="403 when the device is another key's.",
    body=TypeAdapter(RecipientRegister),
    answer=RecipientResponse,
    errors=(*SETTINGS_ERRORS, ErrorAnswer(404, "The device isn't registered.")),
)

CALLS: Final[tuple[Call[BaseModel], ...]] = (PARTNER_SIGNUP, PUSH_DEVICE, RECIPIENT_REGISTER)
