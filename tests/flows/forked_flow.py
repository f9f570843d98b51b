"""A flow in a process that is forked from one that has loaded Prefect and the flows: loading takes two seconds."""

import asyncio
import importlib
import json
import multiprocessing
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

BEGINS = "All is imported; the flow begins."
LOADED = ("prefect.main", "prefect.flow_engine", "flows.campaign", "flows.segments", "flows.resending", "flows.inbox")

_LOADED_ONCE = multiprocessing.get_context("forkserver")
_LOADED_ONCE.set_forkserver_preload([__name__, *LOADED])


class ForkedFlow:
    """Runs ``module:function`` with parameters; has those methods of `subprocess.Popen` that the tests use."""

    def __init__(self, flow: str, parameters: dict[str, Any], environment: dict[str, str], log: Path) -> None:
        self._process = _LOADED_ONCE.Process(target=_run, args=(flow, json.dumps(parameters), environment, str(log)))
        self._process.start()

    def poll(self) -> int | None:
        """The exit code, negative when it was killed; None while it runs."""
        return self._process.exitcode

    def wait(self, seconds: float | None = None) -> int:
        self._process.join(seconds)
        code = self._process.exitcode
        if code is None:
            raise subprocess.TimeoutExpired(self._process.name, seconds or 0)
        return code

    def send_signal(self, number: int) -> None:
        if self._process.is_alive():
            os.kill(self._process.pid, number)


def _run(flow: str, parameters: str, environment: dict[str, str], log: str) -> None:
    with Path(log).open("a") as written:
        os.dup2(written.fileno(), 1)
        os.dup2(written.fileno(), 2)
    os.environ.clear()
    os.environ.update(environment)
    from prefect.context import refresh_global_settings_context

    refresh_global_settings_context()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    module, name = flow.split(":")
    found = getattr(importlib.import_module(module), name)
    print(BEGINS, flush=True)  # noqa: T201 - whoever kills it counts from here
    asyncio.run(found(**found.validate_parameters(json.loads(parameters))))
