"""Uploads one large file to a service on SQLite: lines a second, its memory, and what a priority message notices."""

import gzip
import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import httpx
import orjson

from benchmarks.dovecote import DOVECOTE, KEY
from benchmarks.measures import Plan
from benchmarks.processes import descendants
from benchmarks.table import AtMost, Row
from interface.bulk import BulkState
from interface.client import Addresses, MessagingClient

MIB = 1024 * 1024
BACKLOG_SECONDS = 5


def write_file(path: Path, lines: int) -> None:
    """Write messages to numbers that all differ, gzipped."""
    with gzip.open(path, "wb", compresslevel=1) as file:
        for line in range(lines):
            message = {
                "to": [{"phone_number": f"420{601_000_000 + line}"}],
                "body": f"Hello {line}, your parcel arrives today.",
                "tag": "autumn",
                "payload": {"order": line},
            }
            file.write(orjson.dumps(message) + b"\n")


def memory() -> int:
    """Return the bytes that the service's processes hold, what they share counted once."""
    return sum(_proportional(pid) for pid in descendants(os.getpid()))


def _proportional(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))


class Probe:
    """Sends a priority message again and again, and measures how long each takes to reach the operator."""

    def __init__(self, port: int) -> None:
        self._http = httpx.Client(base_url=f"http://127.0.0.1:{port}", headers={"x-api-key": KEY}, timeout=60)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._seconds: list[float] = []

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> float:
        """End after the message under way. Returns the median of the seconds that each took."""
        self._ended.set()
        self._thread.join()
        self._http.close()
        return median(self._seconds)

    def _run(self) -> None:
        while not self._ended.wait(0.25):
            message = {"to": [{"phone_number": "420777123456"}], "body": f"{time.time()}", "tag": "priority"}
            sent = self._http.post("/v2/message", json=message).json()
            began = time.monotonic()
            while not self._is_handed_over(sent["accepted"][0]["message_id"]):
                time.sleep(0.005)
            self._seconds.append(time.monotonic() - began)

    def _is_handed_over(self, message_id: str) -> bool:
        record = self._http.get("/v1/message", params={"id": message_id}).json()["message"]
        return record is not None and record["ts_sent"] is not None


def rows(plan: Plan) -> list[Row]:
    """Upload one file of the plan's lines, and return the rows of the table."""
    with plan.scratch() as folder:
        file = folder / "file.gz"
        write_file(file, plan.lines)
        with DOVECOTE.running(folder) as port, MessagingClient(KEY, Addresses.of(f"http://127.0.0.1:{port}")) as client:
            taken = _upload(client, Probe(port), file)
    return [
        Row.alone(f"Bulk upload of {plan.lines:,} lines: accepted, while sent", "lines/s", plan.lines / taken.seconds),
        Row.alone("Bulk upload: memory of all processes, at most", "MiB", taken.memory / MIB, AtMost(300)),
        Row.alone("Bulk upload: priority message meanwhile, median", "ms", taken.priority * 1000, AtMost(250)),
    ]


@dataclass(frozen=True)
class Taken:
    """What an upload took: seconds from the file on disk to its last line, bytes, a priority message's wait."""

    seconds: float
    memory: int
    priority: float


def _upload(client: MessagingClient, probe: Probe, file: Path) -> Taken:
    most = memory()
    client.upload_bulk("benchmark", file)
    received = time.monotonic()
    probe.start()
    while (status := client.bulk_status("benchmark")) is None or status.state is not BulkState.DONE:
        most = max(most, memory())
        time.sleep(0.2)
    seconds = time.monotonic() - received
    time.sleep(BACKLOG_SECONDS)
    return Taken(seconds, max(most, memory()), probe.stop())
