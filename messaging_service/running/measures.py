"""Counts what the processes do, for ``/metrics``. Counting costs a call a few microseconds.

Several processes may answer on one port. They share their counts (``shared``), so that each can answer for all of them.
"""

import os
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache

import prometheus_client
from prometheus_client import REGISTRY, CollectorRegistry, Histogram, generate_latest, values
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from messaging_service.message import Move
from messaging_service.running.scratch import folder_while_running

_SHARED_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)
_CALLS = (1, 2, 4, 8, 16, 32, 64, 128, 256)


def _answers() -> Histogram:
    return Histogram(
        "dovecote_http_request_seconds",
        "Time to answer calls, by call and status.",
        ["call", "status"],
        buckets=_SECONDS,
    )


def _commits() -> Histogram:
    return Histogram("dovecote_commit_calls", "How many sending calls shared a transaction.", buckets=_CALLS)


def _accepted() -> prometheus_client.Counter:
    return prometheus_client.Counter("dovecote_messages_accepted", "Message objects accepted for processing.")


def _results() -> prometheus_client.Counter:
    return prometheus_client.Counter("dovecote_message_results", "Results that messages came to.", ["result"])


@dataclass(frozen=True, slots=True)
class _Metrics:
    answers: Histogram = field(default_factory=_answers)
    commits: Histogram = field(default_factory=_commits)
    accepted: prometheus_client.Counter = field(default_factory=_accepted)
    results: prometheus_client.Counter = field(default_factory=_results)


_first_use = threading.Lock()


@cache
def _made() -> _Metrics:
    return _Metrics()


def _metrics() -> _Metrics:
    with _first_use:  # threads that come at the same time would make them twice, which the library refuses
        return _made()


@contextmanager
def shared() -> Iterator[None]:
    """Share counts with the processes that this one starts while the block runs. Before anything is counted."""
    with folder_while_running("dovecote-counters-") as folder:
        os.environ[_SHARED_FOLDER] = str(folder)
        # As the library does when it finds the variable on its import.
        values.ValueClass = values.MultiProcessValue()  # type: ignore[no-untyped-call]
        try:
            yield
        finally:
            del os.environ[_SHARED_FOLDER]


def answered(call: str, status: int, seconds: float) -> None:
    """Count an answer to a call of the interface."""
    _answer(call, status).observe(seconds)


def committed(calls: int, objects: int) -> None:
    """Count a transaction that wrote message objects of several calls."""
    _metrics().commits.observe(calls)
    _metrics().accepted.inc(objects)


def moved(moves: Iterable[Move]) -> None:
    """Count the results of moves that are on disk."""
    results = Counter(move.after.state for move in moves if move.changes_result)
    for result, count in results.items():
        _metrics().results.labels(result.value).inc(count)


def exposition(backlog: Collector) -> bytes:
    """Return everything counted, and the backlog as it is now, in the Prometheus text format."""
    registry = CollectorRegistry()
    registry.register(backlog)
    if _SHARED_FOLDER not in os.environ:
        return generate_latest(REGISTRY) + generate_latest(registry)
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry)


@cache
def _answer(call: str, status: int) -> Histogram:
    return _metrics().answers.labels(call, status)
