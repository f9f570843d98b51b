"""Counts what the service does, for ``/metrics``.

Where ``PROMETHEUS_MULTIPROC_DIR`` is set (``dovecote verify`` does), each process answers for all of them.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from prometheus_client import REGISTRY, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

SHARED_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
_SECONDS = (0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)

_answers = Histogram(
    "dovecote_verify_request_seconds", "Time to answer calls, by call and status.", ["call", "status"], buckets=_SECONDS
)
_upstream = Histogram(
    "dovecote_verify_upstream_seconds", "Time of the upstream, by call and outcome.", ["call", "outcome"],
    buckets=_SECONDS,
)  # fmt: skip
_refused_keys = Counter("dovecote_verify_upstream_refuses_our_key", "Calls that failed for our key: alert on any.")
_verified = Counter("dovecote_verify_verified", "Numbers verified.")


def answered(call: str, status: int, seconds: float) -> None:
    """Count an answer."""
    _answers.labels(call, status).observe(seconds)


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
        _upstream.labels(call, outcome).observe(time.perf_counter() - begun)


def key_refused() -> None:
    """Count a call that the upstream refused because of our key."""
    _refused_keys.inc()


def verified() -> None:
    """Count a verified number."""
    _verified.inc()


def exposition() -> bytes:
    """Return everything counted, in the Prometheus text format."""
    if SHARED_FOLDER not in os.environ:
        return generate_latest(REGISTRY)
    registry = CollectorRegistry()
    MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry)
