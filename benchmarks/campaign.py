"""What a campaign costs through Prefect as it grows, beside a bare asyncio loop that sends the same calls."""

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path

from benchmarks.campaign_runs import ADDRESS, KEY, Took
from benchmarks.dovecote import DOVECOTE
from benchmarks.dovecote import KEY as SERVICE_KEY
from benchmarks.measures import Plan
from benchmarks.operator_records import last_taken_at, taken
from benchmarks.processes import free_ports, running, wait_until
from benchmarks.recipients import number
from benchmarks.table import NO_TARGET, AtMost, Row, Target

SIZES = (1_000, 10_000, 100_000)
AS_FILES, AS_MANY_FILES = 100_000, 1_000_000
MIB = 1024 * 1024
_PATIENCE = 900


@dataclass(frozen=True)
class Campaign:
    """What one took, and the seconds until the operator had all of its messages."""

    took: Took
    sent: float


def rows(plan: Plan) -> list[Row]:
    """Measure each size once, in services of their own, and return the rows of the table."""
    return [*(row for size in SIZES for row in _by_calls(plan, size)), *_by_files(plan), *_by_many_files(plan)]


def _by_calls(plan: Plan, size: int) -> list[Row]:
    bare, flow = _take(plan, size, ["bare", "flow"])
    target = AtMost(2) if size == max(SIZES) else NO_TARGET
    return [*_costs(f"Campaign of {size:,}", flow, AtMost(500)), *_times(f"Campaign of {size:,}", flow, bare, target)]


def _by_files(plan: Plan) -> list[Row]:
    """Measure what such a campaign does when nobody chooses otherwise, beside a loop that uploads the same files."""
    bare, flow = _take(plan, AS_FILES, ["bare-files", "files"])
    of = f"Campaign of {AS_FILES:,}, by bulk upload"
    return [*_costs(of, flow, AtMost(500)), *_times(of, flow, bare, NO_TARGET)]


def _by_many_files(plan: Plan) -> list[Row]:
    (flow,) = _take(plan, AS_MANY_FILES, ["files"])
    return _costs(f"Campaign of {AS_MANY_FILES:,}, by bulk upload", flow, NO_TARGET)


def _times(of: str, flow: Campaign, bare: Campaign, target: Target) -> list[Row]:
    accepting = flow.took.accepted / bare.took.accepted
    return [
        Row.alone(f"{of}: as many times a bare loop, until all is accepted", "times", accepting, target),
        Row.alone(f"{of}: as many times a bare loop, until all is sent", "times", flow.sent / bare.sent, target),
    ]


def _costs(of: str, flow: Campaign, memory: Target) -> list[Row]:
    took = flow.took
    return [
        Row.alone(f"{of}: until all is accepted", "s", took.accepted),
        Row.alone(f"{of}: until the operator has all", "s", flow.sent),
        Row.alone(f"{of}: with a look at the results and the report", "s", took.seconds),
        Row.alone(f"{of}: memory of the flow's process", "MiB", took.memory / MIB, memory),
        Row.alone(f"{of}: task runs", "runs", took.task_runs),
    ]


def _take(plan: Plan, size: int, ways: Sequence[str]) -> list[Campaign]:
    with plan.scratch() as directory:
        file = directory / "people.csv"
        file.write_text("phone\n" + "\n".join(map(number, range(size))) + "\n", "utf-8")
        with _prefect(directory) as prefect:
            return [_run(way, size, file, prefect) for way in ways]


def _run(way: str, size: int, file: Path, prefect: str) -> Campaign:
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
        took = Took(**json.loads(done.stdout.strip().splitlines()[-1]))
        records = directory / "operator.db"
        wait_until(lambda: taken(records) == size, "the last message at the operator", _PATIENCE)
        return Campaign(took, last_taken_at(records) - took.begun)


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
