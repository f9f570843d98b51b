"""Work pools of a real Prefect server: deploy every flow to one, work on it, start what is deployed."""

import asyncio
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

from prefect.client.orchestration import PrefectClient, get_client
from prefect.client.schemas.actions import WorkPoolCreate
from prefect.client.schemas.filters import WorkPoolFilter, WorkPoolFilterName
from prefect.client.schemas.responses import DeploymentResponse

from deployments.declared import DECLARATION

ROOT = Path(__file__).parents[2]

Found = TypeVar("Found")


def in_the_client(work: Callable[[PrefectClient], Awaitable[Found]]) -> Found:
    async def run() -> Found:
        async with get_client() as client:
            return await work(client)

    return asyncio.run(run())


@contextmanager
def new_pool(kind: str = "process") -> Iterator[str]:
    name = f"pool-{uuid.uuid4().hex[:8]}"
    in_the_client(lambda client: client.create_work_pool(WorkPoolCreate(name=name, type=kind)))
    yield name
    remove_pool(name)


def remove_pool(name: str) -> None:
    """Delete a pool and what is deployed to it, which would outlive it and be found by later tests."""
    for each in deployments_of(name):
        in_the_client(lambda client, each=each: client.delete_deployment(each.id))
    in_the_client(lambda client: client.delete_work_pool(name))


def deploy(server: str, pool: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "prefect", "--no-prompt", "deploy", "--prefect-file", str(DECLARATION), "--all"]
    environment = {**os.environ, "PREFECT_API_URL": server, "DOVECOTE_WORK_POOL": pool}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120, check=False)


def deployments_of(pool: str) -> Sequence[DeploymentResponse]:
    chosen = WorkPoolFilter(name=WorkPoolFilterName(any_=[pool]))
    return in_the_client(lambda client: client.read_deployments(work_pool_filter=chosen))


@contextmanager
def worker_of(pool: str, server: str, folder: Path, *options: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process worker of the pool, with a ledger in ``folder``; it is stopped by SIGTERM as an orchestrator does."""
    environment = {
        **os.environ,
        "PREFECT_API_URL": server,
        "PREFECT_WORKER_QUERY_SECONDS": "1",
        "DOVECOTE_LEDGER": f"sqlite:///{folder / 'ledger.sqlite3'}",
    }
    command = [sys.executable, "-m", "prefect", "worker", "start", "--pool", pool, *options]
    with (folder / "worker.log").open("a") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
        process.wait(60)


def start_run(pool: str, entrypoint: str, parameters: dict[str, Any]) -> UUID:
    """Start a run of what is deployed, as the button in the UI does."""
    (deployed,) = [one for one in deployments_of(pool) if one.entrypoint == entrypoint]
    run = in_the_client(lambda client: client.create_flow_run_from_deployment(deployed.id, parameters=parameters))
    return run.id


def processes_of(run_id: UUID) -> list[int]:
    """The processes of this machine in which a run is."""
    mark = f"PREFECT__FLOW_RUN_ID={run_id}".encode()
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended
            if mark in (process / "environ").read_bytes():
                found.append(int(process.name))
    return found


def wait_until(is_so: Callable[[], Found], seconds: float = 150) -> Found:
    ends = time.monotonic() + seconds
    while not (found := is_so()):
        assert time.monotonic() < ends
        time.sleep(0.2)
    return found
