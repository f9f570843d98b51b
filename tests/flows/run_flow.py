"""Run a flow as a process, for tests that kill it: ``run_flow.py flows.inbox:poll_inbox '{"inbox": {}}'``."""

import asyncio
import importlib
import json
import sys

if __name__ == "__main__":
    module, name = sys.argv[1].split(":")
    found = getattr(importlib.import_module(module), name)
    asyncio.run(found(**found.validate_parameters(json.loads(sys.argv[2]))))
