"""Where the Cloud API is and what it knows us by, as the settings say."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from messaging_service.settings import Settings


@dataclass(frozen=True, slots=True)
class CloudAccess:
    """Access to one platform. ``phones`` are its ids of our senders, ``owners`` the accounts of business accounts."""

    url: str
    token: str = field(repr=False)
    secret: bytes = field(repr=False)
    verify_token: str = field(repr=False)
    phones: Mapping[str, str]
    owners: Mapping[str, int]

    def sender_of(self, phone_number_id: str) -> str | None:
        """Return our sender with this id at the platform."""
        return next((sender for sender, phone in self.phones.items() if phone == phone_number_id), None)


def cloud_access(settings: Settings) -> CloudAccess | None:
    """Return the access that is set, None where WhatsApp is simulated."""
    token, secret, verify_token = (
        settings.chat_app_token,
        settings.chat_app_secret,
        settings.chat_app_verify_token,
    )
    if not settings.chat_app_url or token is None or secret is None or verify_token is None:
        return None
    owners = _pairs(settings.chat_app_business_accounts)
    return CloudAccess(
        settings.chat_app_url.rstrip("/"),
        token.get_secret_value(),
        secret.get_secret_value().encode(),
        verify_token.get_secret_value(),
        _pairs(settings.chat_app_senders),
        {waba_id: int(account) for waba_id, account in owners.items()},
    )


def _pairs(text: str) -> dict[str, str]:
    return dict(each.strip().split("=", 1) for each in text.split(",") if each.strip())
