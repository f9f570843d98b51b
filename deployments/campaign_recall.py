"""Take a cancelled campaign's messages back from the provider, without a Prefect server."""

import asyncio
import os

from flows.ledger import Ledger
from flows.provider import Provider
from flows.recalling import recall
from interface.client import Addresses, AsyncMessagingClient
from interface.client.commands import KEY_VARIABLE


def recall_campaign(book: Ledger, campaign_id: str, key: str, address: str) -> int:
    """Cancel at the provider what it has not sent, and count the people; raises what the client raises."""
    return asyncio.run(_recall(book, campaign_id, key or os.environ[KEY_VARIABLE], address))


async def _recall(book: Ledger, campaign_id: str, key: str, address: str) -> int:
    async with AsyncMessagingClient(key, Addresses.of(address)) as client:
        return await recall(book, Provider(client), campaign_id)
