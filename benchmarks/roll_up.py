"""Rolls up the statistics of a year from a service that has two of them: calls, time, and a second run."""

import json
import os
import resource
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.dovecote import COMMAND, DOVECOTE, KEY
from benchmarks.measures import Plan
from benchmarks.table import AtMost, Row

DAYS = 365
TAG_SETS, BATCHES = 20, 100
"""Of each date: sets of tags with 1,000 messages each, and a campaign in batches of 100, each with a tag of its own."""
_KIB_A_MIB = 1024
_STATISTICS = """
    INSERT INTO daily_statistics (key_id, date, tags, count_sent, msg_sent, count_delivered, count_nondelivered)
    VALUES (?, ?, ?, ?, ?, ?, ?)
"""
_NETWORKS = "INSERT INTO daily_networks (key_id, date, tags, network, count) VALUES (?, ?, ?, ?, ?)"


def rows(plan: Plan) -> list[Row]:
    """Measure ``dovecote stats`` once with an empty table and once with a full one."""
    with plan.scratch() as directory, DOVECOTE.running(directory) as port:
        _fill(directory / "dovecote.db")
        first, seconds = _stats(directory, port)
        again, seconds_again = _stats(directory, port)
        # While the service still runs, so that only the two programs count.
        most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / _KIB_A_MIB
    of = f"Roll-up of {DAYS} dates"
    return [
        Row.alone(f"{of}, with the {DAYS} before them: calls", "calls", first["calls"], AtMost(19)),
        Row.alone(f"{of}: into an empty table", "s", seconds),
        Row.alone(f"{of}: again", "s", seconds_again),
        Row.alone(f"{of}: lines that the second run changed", "lines", _changed(again), AtMost(0)),
        Row.alone(f"{of}: memory", "MiB", most),
    ]


def _stats(directory: Path, port: int) -> tuple[dict[str, Any], float]:
    given = {"DOVECOTE_LEDGER": f"sqlite:///{directory / 'ledger.sqlite3'}", "DOVECOTE_API_KEY": KEY}
    command = [str(COMMAND), "stats", "--days", str(DAYS), "--json", "--address", f"http://127.0.0.1:{port}"]
    begun = time.perf_counter()
    done = subprocess.run(command, env={**os.environ, **given}, capture_output=True, text=True, check=True)
    seconds = time.perf_counter() - begun
    return json.loads(done.stdout), seconds


def _changed(report: dict[str, Any]) -> int:
    return int(report["new_lines"]) + int(report["corrected_lines"])


def _fill(store: Path) -> None:
    with sqlite3.connect(store, timeout=30) as connection:
        (key,) = connection.execute("SELECT min(id) FROM keys").fetchone()
        lines = list(_lines())
        connection.executemany(
            _STATISTICS,
            [(key, date, tags, sent, sent, sent * 19 // 20, sent - sent * 19 // 20) for date, tags, sent in lines],
        )
        connection.executemany(
            _NETWORKS,
            [(key, date, tags, network, sent // 2) for date, tags, sent in lines for network in ("23001", "23003")],
        )
    connection.close()


def _lines() -> Iterator[tuple[str, str, int]]:
    today = datetime.now(UTC).date()
    for back in range(2 * DAYS):
        date = (today - timedelta(days=back)).isoformat()
        for number in range(TAG_SETS):
            yield date, f"promotional,sale-{number:02}", 1_000
        for number in range(BATCHES):
            yield date, f"c-daily-{back:08x}-b{number:04},promotional", 100
