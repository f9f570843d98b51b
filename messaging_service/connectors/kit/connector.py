"""What a connector is: a file beside ``demo`` and ``klaviyo`` with a function ``open_connector``."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from interface.connectors import ConnectorMe, ConnectorSegment, ConnectorSender
from messaging_service.refusals import NotFound
from messaging_service.settings import Settings


@dataclass(frozen=True, slots=True)
class AppUser:
    """Who asks: a user of the platform, for an account of ours kept in ``currency`` (``czk``, ``eur``)."""

    account_id: int
    app_userid: str
    currency: str


FindSecret = Callable[[str, AppUser], Awaitable[str]]
"""Finds what a connector of this name shows the platform for a user; raises CredentialsRefused when there is none."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a connector is opened with."""

    settings: Settings
    find_secret: FindSecret


class Connector(Protocol):
    """Asks one platform. Every method may raise CredentialsRefused, PlatformBusy and PlatformFailed."""

    async def segments(self, user: AppUser) -> Sequence[ConnectorSegment]:
        """Return all segments of a user."""
        ...

    def recipients(self, user: AppUser, segment_id: str, limit: int) -> AsyncGenerator[Sequence[str]]:
        """Return the phone numbers in a segment, as the platform writes them, page by page.

        May raise NoSuchSegment, and TooManyRecipients where the platform tells beforehand that there are more than
        ``limit``.
        """
        ...

    async def senders(self, user: AppUser) -> Sequence[ConnectorSender]:
        """Return the senders that the platform knows."""
        ...

    async def me(self, user: AppUser) -> ConnectorMe:
        """Return the account and the currency by which the platform knows the user."""
        ...


OpenConnector = Callable[[Surroundings], Connector | None]
"""The type of ``open_connector``; None: this service isn't set up for the platform."""


class CredentialsRefused(Exception):  # noqa: N818 - the answer of a platform, not a failure of ours
    """The platform doesn't take our credentials, or we have none; the caller reads the sentence with a 200."""


class NoSuchSegment(NotFound):
    """The platform has no segment of the id."""

    sentence = "The platform has no such segment."
