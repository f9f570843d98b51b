"""Uploads one large file to a service on SQLite: lines a second, its memory, and what a priority message notices.

``python -m benchmarks.bulk_upload --lines 1000000``
"""

import gzip
import os
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import median
from typing import Annotated

import httpx
import orjson
import typer

from benchmarks.dovecote import KEY, started
from benchmarks.processes import descendants
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

    def stop(self) -> None:
        """End after the message under way."""
        self._ended.set()
        self._thread.join()
        self._http.close()

    def take(self) -> str:
        """Return what was measured since the last time, in a few words."""
        waits, self._seconds = sorted(self._seconds), []
        if not waits:
            return "none"
        return f"{len(waits)}, median {median(waits) * 1000:.0f} ms, longest {waits[-1] * 1000:.0f} ms"

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


def main(
    lines: Annotated[int, typer.Option(min=1000, help="Lines of the file.")] = 1_000_000,
    directory: Annotated[
        Path | None, typer.Option(help="Where the store goes: a real disk.", file_okay=False, exists=True)
    ] = None,
) -> None:
    """Upload a file and print what that took."""
    with tempfile.TemporaryDirectory(dir=directory) as folder:
        file = Path(folder) / "file.gz"
        write_file(file, lines)
        with started(Path(folder)) as port, MessagingClient(KEY, Addresses.of(f"http://127.0.0.1:{port}")) as client:
            probe, most = Probe(port), memory()
            began = time.monotonic()
            client.upload_bulk("benchmark", file)
            received = time.monotonic()
            probe.start()
            while (status := client.bulk_status("benchmark")) is None or status.state is not BulkState.DONE:
                most = max(most, memory())
                time.sleep(0.2)
            read = time.monotonic()
            while_read = probe.take()
            time.sleep(BACKLOG_SECONDS)
            afterwards = probe.take()
            probe.stop()
            most = max(most, memory())
    typer.echo(
        f"{file.name}: {lines:,} lines on disk after {received - began:.1f} s, accepted after {read - began:.1f} s"
    )
    typer.echo(f"Accepted while phase 2 ran too: {lines / (read - received):,.0f} lines/s")
    typer.echo(f"Memory of all processes, at most: {most / MIB:,.0f} MiB")
    typer.echo(f"Priority messages until handed over, while the file is read: {while_read}")
    typer.echo(f"The same while phase 2 works off the backlog: {afterwards}")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    typer.run(main)
