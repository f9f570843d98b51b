"""Run a flow as a process, for tests that kill it: ``run_flow.py flows.inbox:poll_inbox '{"inbox": {}}'``."""

import asyncio
import importlib
import json
import sys

BEGINS = "All is imported; the flow begins."

if __name__ == "__main__":
    module, name = sys.argv[1].split(":")
    found = getattr(importlib.import_module(module), name)
    print(BEGINS, flush=True)  # noqa: T201 - whoever kills it counts from here
    asyncio.run(found(**found.validate_parameters(json.loads(sys.argv[2]))))
