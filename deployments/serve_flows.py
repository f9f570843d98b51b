"""Serves the flows of this machine: ``python -m deployments.serve_flows``, a program of `deployments.local`.

It loads Prefect while the server is starting, then registers the account and the deployment, and waits for runs.
"""

import asyncio
import os
from contextlib import suppress

from prefect.runner import Runner
from prefect.settings import PREFECT_API_URL
from prefect.types.entrypoint import EntrypointType
from pydantic import SecretStr

from deployments.prefect_server import PrefectServer
from flows.blocks import MessagingAccount
from flows.campaign import send_campaign, send_wave
from flows.segments import sync_segment
from flows.statistics import roll_up_statistics
from interface.client import Addresses

DEPLOYMENT = "this-machine"
ADDRESS_VARIABLE = "DOVECOTE_ADDRESS"
KEY_VARIABLE = "DOVECOTE_API_KEY"
_START_SECONDS = 90.0
_LOOK_EVERY_SECONDS = 0.1


async def serve_flows(address: str, key: str) -> None:
    """Register the account ``main`` for the service at ``address``, and run what is asked for until stopped."""
    server = PrefectServer(PREFECT_API_URL.value().removesuffix("/api"))
    await asyncio.wait_for(_server_answers(server), _START_SECONDS)
    server.close()
    addresses = Addresses.of(address)
    account = MessagingAccount(
        api_key=SecretStr(key),
        messaging_url=addresses.base_url,
        rest_url=addresses.rest_url,
        verify_url=addresses.verify_url,
        xml_url=addresses.xml_url,
        honours_idempotency_key=True,
    )
    await account.asave("main", overwrite=True)
    runner = Runner(name=DEPLOYMENT, pause_on_shutdown=False)
    # send-campaign last: whoever waits for it finds the others.
    for flow, description in (
        (send_wave, "Sends a part of a campaign when its recipients' hours have come. Started by send-campaign."),
        (roll_up_statistics, "Keeps the service's statistics, reports them, and tells of delivery rates that fell."),
        (sync_segment, "Writes to those who joined a segment of a marketing platform since the last run."),
        (send_campaign, "Sends one text to many recipients through the messaging service of this machine."),
    ):
        await runner.aadd_deployment(
            await flow.ato_deployment(DEPLOYMENT, description=description, entrypoint_type=EntrypointType.MODULE_PATH)
        )
    await runner.start()


async def _server_answers(server: PrefectServer) -> None:
    while not await asyncio.to_thread(server.is_ready):  # noqa: ASYNC110 - it runs in another process
        await asyncio.sleep(_LOOK_EVERY_SECONDS)


if __name__ == "__main__":
    # Not for the runs' processes to inherit: they have the block.
    with suppress(KeyboardInterrupt):
        asyncio.run(serve_flows(os.environ[ADDRESS_VARIABLE], os.environ.pop(KEY_VARIABLE)))
