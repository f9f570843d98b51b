"""The measures of verification: people verify their numbers through ``dovecote verify`` and the service behind it."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles

from benchmarks.dovecote import KEY, SETTINGS, serving
from benchmarks.measures import WARM_UP_SECONDS, Plan
from benchmarks.people import Crowd, Pair, Site, Verified, verify
from benchmarks.processes import processor_seconds
from benchmarks.table import AtLeast, AtMost, Row

PEOPLE = 32
UNLIMITED = {
    f"DOVECOTE_VERIFICATION_{name}": "0"
    for name in (
        "STARTS_PER_ACCOUNT",
        "STARTS_PER_NUMBER",
        "PAUSE",
        "STARTS_PER_COUNTRY",
        "STARTS_PER_PREFIX",
        "PUMPING_STARTS",
    )
}
FRONT = {
    "DOVECOTE_VERIFY_UPSTREAM_KEY": KEY,
    "DOVECOTE_VERIFY_STARTS_PER_CLIENT": "0",
    "DOVECOTE_VERIFY_CHECKS_PER_CLIENT": "0",
    "DOVECOTE_VERIFY_LOG_LEVEL": "warning",
}
PAUSE = 0.1
"""Seconds between the verifications of idle services."""


@dataclass(frozen=True)
class Run:
    """What one run came to: a crowd's pairs, the services' processor time for all of them, and a single person's."""

    crowd: Verified
    processor_seconds: float
    single: Verified


def rows(plan: Plan) -> list[Row]:
    """Measure, and return the rows of the table; medians of the plan's repetitions count."""
    runs = [_run(plan) for _ in range(plan.repetitions)]

    def of_runs(figure: Callable[[Run], float]) -> float:
        return median(figure(run) for run in runs)

    def call(name: str, of_pair: Callable[[Pair], float]) -> list[Row]:
        shares = {50: _percentile(of_pair, 50), 99: _percentile(of_pair, 99)}
        return [Row.alone(f"Verification: {name}, p{share}", "ms", of_runs(of)) for share, of in shares.items()]

    return [
        Row.alone("Verification: start and check", "pairs/s", of_runs(lambda run: run.crowd.rate), AtLeast(400)),
        *call("the start", lambda pair: pair.start),
        *call("the check", lambda pair: pair.check),
        Row.alone("Verification: processor time of both services", "ms/pair", of_runs(_processor_milliseconds)),
        Row.alone("Verification: from the start to the code at the operator", "ms", of_runs(_to_operator), AtMost(150)),
    ]


def _run(plan: Plan) -> Run:
    with plan.scratch() as directory, _started(directory) as site:
        warm_up = verify(site, Crowd(PEOPLE, WARM_UP_SECONDS), 0)
        before = processor_seconds(os.getpid())
        crowd = verify(site, Crowd(PEOPLE, plan.seconds), len(warm_up.pairs))
        used = processor_seconds(os.getpid()) - before
        single = Crowd(1, plan.singles * PAUSE, PAUSE)
        return Run(crowd, used, verify(site, single, len(warm_up.pairs) + len(crowd.pairs)))


@contextmanager
def _started(directory: Path) -> Iterator[Site]:
    store = {"DOVECOTE_DATABASE": f"sqlite:///{directory / 'dovecote.db'}"}
    with serving("serve", directory, {**SETTINGS, **UNLIMITED, **store}) as upstream:
        sessions = {
            "DOVECOTE_VERIFY_DATABASE": f"sqlite:///{directory / 'verify.db'}",
            "DOVECOTE_VERIFY_UPSTREAM": f"http://127.0.0.1:{upstream}",
        }
        with serving("verify", directory, {**FRONT, **sessions}) as port:
            yield Site(port, directory / "operator.db")


def _percentile(of_pair: Callable[[Pair], float], share: int) -> Callable[[Run], float]:
    return lambda run: quantiles(map(of_pair, run.crowd.pairs), n=100)[share - 1] * 1000


def _processor_milliseconds(run: Run) -> float:
    return run.processor_seconds / len(run.crowd.pairs) * 1000


def _to_operator(run: Run) -> float:
    return median(pair.to_operator for pair in run.single.pairs) * 1000
