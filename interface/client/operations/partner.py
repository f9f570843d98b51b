"""Partners and their apps (details, "partner")."""

from interface import calls
from interface.client.operations.operation import Operation, Sent, operation, whole
from interface.partner import (
    PartnerSignup,
    PartnerSignupResponse,
    PushDevice,
    RecipientRegister,
    RegisteredDevice,
    RegisteredRecipient,
)


def partner_signup(signup: PartnerSignup) -> Operation[PartnerSignupResponse]:
    """Return where a customer confirms to be brought by this key, within an hour."""
    return operation(calls.PARTNER_SIGNUP, Sent(body=signup), whole)


def push_device(device: PushDevice) -> Operation[RegisteredDevice | None]:
    """Register a device, or bring it up to date; `Forbidden` when it is another key's."""
    return operation(calls.PUSH_DEVICE, Sent(body=device), lambda answer: answer.device)


def recipient_register(recipient: RecipientRegister) -> Operation[RegisteredRecipient]:
    """Register somebody who uses an app of this key; `NotFound` for a device that isn't registered."""
    return operation(calls.RECIPIENT_REGISTER, Sent(body=recipient), lambda answer: answer.recipient)
