"""Serve one flow as the deployment ``tests`` until ended: ``serve_flow.py flows.segments:sync_segment``."""

import asyncio
import importlib
import sys

from prefect.runner import Runner
from prefect.types.entrypoint import EntrypointType


async def serve(flow) -> None:
    runner = Runner(name="tests", pause_on_shutdown=False, query_seconds=1)
    await runner.aadd_deployment(await flow.ato_deployment("tests", entrypoint_type=EntrypointType.MODULE_PATH))
    await runner.start()


if __name__ == "__main__":
    module, name = sys.argv[1].split(":")
    asyncio.run(serve(getattr(importlib.import_module(module), name)))
