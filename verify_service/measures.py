"""Counts what the service does, for ``/metrics``. Processes share their counts, so that each answers for all."""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from tempfile import TemporaryDirectory

from prometheus_client import REGISTRY, CollectorRegistry, Counter, Histogram, generate_latest, values
from prometheus_client.multiprocess import MultiProcessCollector

_SHARED_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
_SECONDS = (0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)


def _timer(name: str, meaning: str, *labels: str) -> Histogram:
    return Histogram(f"dovecote_verify_{name}_seconds", meaning, labels, buckets=_SECONDS)


def _counter(name: str, meaning: str) -> Counter:
    return Counter(f"dovecote_verify_{name}", meaning)


@dataclass(frozen=True, slots=True)
class _Metrics:
    answers: Histogram = field(
        default_factory=lambda: _timer("request", "Time to answer calls, by call and status.", "call", "status")
    )
    upstream: Histogram = field(
        default_factory=lambda: _timer("upstream", "Time of the upstream, by call and outcome.", "call", "outcome")
    )
    refused_keys: Counter = field(
        default_factory=lambda: _counter("upstream_refuses_our_key", "Calls that failed for our key: alert on any.")
    )
    verified: Counter = field(default_factory=lambda: _counter("verified", "Numbers verified."))


_first_use = threading.Lock()


# Made when first used: by then it is decided whether they are shared.
@cache
def _made() -> _Metrics:
    return _Metrics()


def _metrics() -> _Metrics:
    with _first_use:  # threads that come at the same time would make them twice, which the library refuses
        return _made()


@contextmanager
def shared() -> Iterator[None]:
    """Share counts with the processes that this one starts while the block runs. Before anything is counted."""
    with TemporaryDirectory(prefix="dovecote-verify-") as folder:
        os.environ[_SHARED_FOLDER] = folder
        # As the library does when it finds the variable on its import.
        values.ValueClass = values.MultiProcessValue()  # type: ignore[no-untyped-call]
        yield


def answered(call: str, status: int, seconds: float) -> None:
    """Count an answer."""
    _answer(call, status).observe(seconds)


@contextmanager
def upstream(call: str) -> Iterator[None]:
    """Time a call to the upstream; its outcome is the name of the error that ends the block, or ``ok``."""
    begun, outcome = time.perf_counter(), "ok"
    try:
        yield
    except Exception as error:
        outcome = type(error).__name__
        raise
    finally:
        _asked(call, outcome).observe(time.perf_counter() - begun)


def key_refused() -> None:
    """Count a call that the upstream refused because of our key."""
    _metrics().refused_keys.inc()


def verified() -> None:
    """Count a verified number."""
    _metrics().verified.inc()


def exposition() -> bytes:
    """Return everything counted, in the Prometheus text format."""
    if _SHARED_FOLDER not in os.environ:
        return generate_latest(REGISTRY)
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry)


# Found once: the library makes sure of the labels each time.
@cache
def _answer(call: str, status: int) -> Histogram:
    return _metrics().answers.labels(call, status)


@cache
def _asked(call: str, outcome: str) -> Histogram:
    return _metrics().upstream.labels(call, outcome)
