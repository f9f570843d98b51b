"""Serves the flows of this machine: ``python -m deployments.serve_flows``, a program of `deployments.local`.

It loads Prefect while the server is starting, then registers the account and the deployment, and waits for runs.
"""

import asyncio
import os
from contextlib import suppress

from prefect.runner import Runner
from prefect.settings import PREFECT_API_URL
from pydantic import SecretStr

from deployments.automations.applying import apply_automations
from deployments.declared import declared_deployments, keep_added_schedules
from deployments.prefect_server import PrefectServer
from flows.blocks import MessagingAccount
from interface.client import Addresses

DEPLOYMENT = "this-machine"
ADDRESS_VARIABLE = "DOVECOTE_ADDRESS"
KEY_VARIABLE = "DOVECOTE_API_KEY"
SCHEDULES_VARIABLE = "DOVECOTE_FLOW_SCHEDULES"
RUNS_AT_ONCE = 4
"""More of them keep a Prefect server on SQLite waiting for its own lock."""
_START_SECONDS = 90.0
_LOOK_EVERY_SECONDS = 0.1


async def serve_flows(address: str, key: str, *, scheduled: bool) -> None:
    """Register the account ``main`` for the service at ``address``, and run what is asked for until stopped.

    ``scheduled``: also what has a schedule, and what crashed.
    """
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
    runner = Runner(name=DEPLOYMENT, pause_on_shutdown=False, limit=RUNS_AT_ONCE)
    # The declaration begins with send-campaign; served last, it says that the others are there.
    for each in reversed(declared_deployments()):
        deployment = await each.served(DEPLOYMENT, scheduled=scheduled)
        await keep_added_schedules(deployment)
        await runner.aadd_deployment(deployment)
    if scheduled:
        await apply_automations()
    await runner.start()


async def _server_answers(server: PrefectServer) -> None:
    while not await asyncio.to_thread(server.is_ready):  # noqa: ASYNC110 - it runs in another process
        await asyncio.sleep(_LOOK_EVERY_SECONDS)


if __name__ == "__main__":
    # Not for the runs' processes to inherit: they have the block.
    with suppress(KeyboardInterrupt):
        asyncio.run(
            serve_flows(
                os.environ[ADDRESS_VARIABLE],
                os.environ.pop(KEY_VARIABLE),
                scheduled=os.environ.get(SCHEDULES_VARIABLE, "on") != "off",
            )
        )
