"""Whom the flows send through."""

from dataclasses import dataclass

from interface.client import AsyncMessagingClient


@dataclass(frozen=True)
class Provider:
    """Who sends, and how far it can be relied upon.

    ``honours_idempotency_key``: a batch in doubt is simply repeated under its key. Otherwise it is looked up, and
    counts as missing only ``appears_within_seconds`` after its call was begun: a call may take long, a list may lag.
    """

    client: AsyncMessagingClient
    subid: str = "default"
    honours_idempotency_key: bool = False
    appears_within_seconds: float = 90.0
