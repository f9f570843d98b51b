"""The preview of a campaign without a Prefect server: from its parameters, the provider, and the clock."""

import asyncio
import os
import time

from flows.parameters import Campaign
from flows.planning.facts import gather_facts
from flows.planning.preparing import Asked, prepare, read_table
from flows.planning.preview import Preview, make_preview
from flows.provider import Provider
from interface.client import Addresses, AsyncMessagingClient
from interface.client.commands import KEY_VARIABLE


def preview_of(campaign: Campaign, key: str, address: str) -> Preview:
    """Read the recipients and ask the provider; raises `FlowProblem` and what the client raises."""
    return asyncio.run(_preview_of(campaign, key or os.environ[KEY_VARIABLE], address))


async def _preview_of(campaign: Campaign, key: str, address: str) -> Preview:
    async with AsyncMessagingClient(key, Addresses.of(address)) as client:
        provider = Provider(client)
        table = await read_table(campaign, provider)
        prepared = prepare(campaign, table, time.time(), Asked.of(campaign))
        facts = await gather_facts(provider, prepared.plan.settings.tags)
    return make_preview(prepared.plan, prepared.reading, facts)
