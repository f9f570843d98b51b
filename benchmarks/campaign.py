"""What a campaign costs through Prefect as it grows, beside a bare asyncio loop that sends the same calls."""

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path

from benchmarks.campaign_runs import ADDRESS, KEY, Took
from benchmarks.dovecote import DOVECOTE
from benchmarks.dovecote import KEY as SERVICE_KEY
from benchmarks.measures import Plan
from benchmarks.processes import free_ports, running, wait_until
from benchmarks.recipients import number
from benchmarks.table import NO_TARGET, AtMost, Row, Target

SIZES = (1_000, 10_000, 100_000)
AS_FILES = 1_000_000
MIB = 1024 * 1024
_PATIENCE = 900


def rows(plan: Plan) -> list[Row]:
    """Measure each size once, in services of their own, and return the rows of the table."""
    return [*(row for size in SIZES for row in _by_calls(plan, size)), *_as_files(plan)]


def _by_calls(plan: Plan, size: int) -> list[Row]:
    bare, flow = _take(plan, size, ["bare", "flow"])
    of = f"Campaign of {size:,}"
    target = AtMost(2) if size == max(SIZES) else NO_TARGET
    times = Row.alone(f"{of}: as many times a bare loop", "times", flow.accepted / bare.accepted, target)
    return [*_costs(of, flow, AtMost(500)), times]


def _as_files(plan: Plan) -> list[Row]:
    (flow,) = _take(plan, AS_FILES, ["files"])
    return _costs(f"Campaign of {AS_FILES:,}, by bulk upload", flow, NO_TARGET)


def _costs(of: str, flow: Took, memory: Target) -> list[Row]:
    return [
        Row.alone(f"{of}: until all is accepted", "s", flow.accepted),
        Row.alone(f"{of}: with a look at the results and the report", "s", flow.seconds),
        Row.alone(f"{of}: memory of the flow's process", "MiB", flow.memory / MIB, memory),
        Row.alone(f"{of}: task runs", "runs", flow.task_runs),
    ]


def _take(plan: Plan, size: int, ways: Sequence[str]) -> list[Took]:
    with plan.scratch() as directory:
        file = directory / "people.csv"
        file.write_text("phone\n" + "\n".join(map(number, range(size))) + "\n", "utf-8")
        with _prefect(directory) as prefect:
            return [_run(way, file, prefect) for way in ways]


def _run(way: str, file: Path, prefect: str) -> Took:
    """Run one way against a service of its own, so that neither finds the messages of the other."""
    directory = file.parent / way
    directory.mkdir()
    with DOVECOTE.running(directory) as port:
        given = {
            "PREFECT_API_URL": prefect,
            "PREFECT_HOME": str(file.parent / "prefect"),
            "DOVECOTE_LEDGER": f"sqlite:///{directory / 'ledger.sqlite3'}",
            ADDRESS: f"http://127.0.0.1:{port}",
            KEY: SERVICE_KEY,
        }
        command = [sys.executable, "-m", "benchmarks.campaign_runs", way, f"benchmark-{way}", str(file)]
        done = subprocess.run(
            command, env={**os.environ, **given}, capture_output=True, text=True, timeout=_PATIENCE, check=False
        )
    if done.returncode:
        raise RuntimeError(f"the {way} campaign failed: {done.stderr[-2000:]}")
    return Took(**json.loads(done.stdout.strip().splitlines()[-1]))


@contextmanager
def _prefect(directory: Path) -> Iterator[str]:
    """Run a Prefect server with its data in ``directory``; gives the address of its API."""
    (port,) = free_ports(1)
    environment = {"PREFECT_HOME": str(directory / "prefect"), "PREFECT_SERVER_ANALYTICS_ENABLED": "false"}
    command = [
        sys.executable,
        "-m",
        "prefect",
        "server",
        "start",
        "--no-ui",
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
    ]
    with running(command, directory / "prefect.log", {**os.environ, **environment}):
        address = f"http://127.0.0.1:{port}/api"
        wait_until(lambda: _is_ready(address), "the start of the Prefect server", 90)
        yield address


def _is_ready(address: str) -> bool:
    with urllib.request.urlopen(f"{address}/ready", timeout=5) as response:
        return bool(response.status == HTTPStatus.OK)
