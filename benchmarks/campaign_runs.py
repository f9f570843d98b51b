"""Programs that send the same campaign, each run as a process of its own: the flow and a bare loop, by calls or files.

``python -m benchmarks.campaign_runs flow|files|bare|bare-files NAME FILE`` prints what it took as JSON, last.
"""

import asyncio
import gzip
import json
import os
import resource
import sys
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.system import TEXT

if TYPE_CHECKING:
    from prefect.client.schemas.objects import TaskRun

CALLS_AT_ONCE = 8
BLOCK = "benchmark"
ADDRESS, KEY = "BENCHMARK_ADDRESS", "BENCHMARK_KEY"
_A_MESSAGE, _A_CALL = 10, 10
_A_FILE = 20_000
_KIB = 1024
_UNTIL_PREFECT_KNOWS = 5
"""Seconds within which the server has written down what it was told of task runs, which it does later."""


@dataclass(frozen=True)
class Took:
    """What one run took: seconds until all was accepted and in all, from ``begun`` (Unix seconds) on.

    And the most bytes that its process held, and its task runs in Prefect (0 without).
    """

    begun: float
    accepted: float
    seconds: float
    memory: int
    task_runs: int


def run_flow(name: str, file: Path, bulk_from: int = 0) -> Took:
    """Run ``send_campaign`` by calls, with one look at the results and no waiting for receipts."""
    begun = time.time()
    from flows.blocks import MessagingAccount  # loading them is a part of what is measured
    from flows.campaign import send_campaign
    from flows.parameters import Campaign

    address = os.environ[ADDRESS]
    block = MessagingAccount(
        api_key=os.environ[KEY],
        messaging_url=f"{address}/v2",
        rest_url=f"{address}/v1",
        honours_idempotency_key=True,
    )
    block.save(BLOCK, overwrite=True)
    campaign = Campaign(
        name=name, text=TEXT, recipients_file=str(file), account=BLOCK, follow_minutes=0, bulk_from=bulk_from
    )
    asyncio.run(send_campaign(campaign))
    seconds = time.time() - begun
    runs = asyncio.run(_task_runs(name))
    accepted = max(run.end_time.timestamp() for run in runs if run.end_time and run.name.startswith("send-"))
    return Took(begun, accepted - begun, seconds, _most_memory(), len(runs))


def run_files(name: str, file: Path) -> Took:
    """Run ``send_campaign`` by bulk upload."""
    return run_flow(name, file, bulk_from=1)


async def _task_runs(name: str) -> "list[TaskRun]":
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterName

    async with get_client() as client:
        await asyncio.sleep(_UNTIL_PREFECT_KNOWS)
        of_campaign = FlowRunFilter(name=FlowRunFilterName(like_=name))
        return await client.read_task_runs(flow_run_filter=of_campaign, limit=200)


def run_bare(_name: str, file: Path) -> Took:
    """Send the same calls by nothing but the client, as many at a time."""
    return _run_bare(_call_for_all, file)


def run_bare_files(_name: str, file: Path) -> Took:
    """Upload the same files by nothing but the client, one after another."""
    return _run_bare(_upload_all, file)


def _run_bare(send_all: Callable[[Sequence[str]], Coroutine[Any, Any, None]], file: Path) -> Took:
    begun = time.time()
    asyncio.run(send_all(file.read_text("utf-8").split()[1:]))
    seconds = time.time() - begun
    return Took(begun, seconds, seconds, _most_memory(), 0)


async def _call_for_all(numbers: Sequence[str]) -> None:
    from interface.client import Addresses, AsyncMessagingClient
    from interface.message import MessageRequest, Recipient

    chunks = iter(_chunks(numbers, _A_MESSAGE * _A_CALL))

    async with AsyncMessagingClient(os.environ[KEY], Addresses.of(os.environ[ADDRESS])) as client:

        async def one_after_another() -> None:
            for chunk in chunks:
                messages = [
                    MessageRequest(to=[Recipient(phone_number=number) for number in ten], body=TEXT, tag="promotional")
                    for ten in _chunks(chunk, _A_MESSAGE)
                ]
                await client.send_many(messages, idempotency_key=chunk[0])

        await asyncio.gather(*(one_after_another() for _ in range(CALLS_AT_ONCE)))


async def _upload_all(numbers: Sequence[str]) -> None:
    from interface.client import Addresses, AsyncMessagingClient
    from interface.message import MessageRequest, Recipient

    async with AsyncMessagingClient(os.environ[KEY], Addresses.of(os.environ[ADDRESS])) as client:
        for chunk in _chunks(numbers, _A_FILE):
            messages = (
                MessageRequest(to=[Recipient(phone_number=number) for number in ten], body=TEXT, tag="promotional")
                for ten in _chunks(chunk, _A_MESSAGE)
            )
            lines = "".join(f"{one.model_dump_json(by_alias=True, exclude_none=True)}\n" for one in messages)
            await client.upload_bulk(f"bare-{chunk[0]}", gzip.compress(lines.encode()))


def _chunks(numbers: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    return (numbers[start : start + size] for start in range(0, len(numbers), size))


def _most_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _KIB


if __name__ == "__main__":
    ways = {"flow": run_flow, "files": run_files, "bare": run_bare, "bare-files": run_bare_files}
    print(json.dumps(asdict(ways[sys.argv[1]](sys.argv[2], Path(sys.argv[3])))))
