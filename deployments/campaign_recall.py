"""Take a cancelled campaign's messages back from the provider, without a Prefect server."""

import asyncio
import os

from flows.ledger import Ledger, PlannedCampaign
from flows.provider import Provider
from flows.recalling import withdraw
from interface.client import Addresses, AsyncMessagingClient
from interface.client.commands import KEY_VARIABLE


def recall_campaign(book: Ledger, campaign: PlannedCampaign, key: str, address: str) -> int:
    """Cancel at the provider what it has not sent, and count the people; raises what the client raises."""
    return asyncio.run(_recall(book, campaign, key or os.environ[KEY_VARIABLE], address))


async def _recall(book: Ledger, campaign: PlannedCampaign, key: str, address: str) -> int:
    async with AsyncMessagingClient(key, Addresses.of(address)) as client:
        return await withdraw(book, Provider(client), campaign)
