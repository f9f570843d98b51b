"""The two kinds of task: steps of the ledger, and calls that may be repeated."""

from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec, TypeVar

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.tasks import Task, exponential_backoff

from flows.retrying import may_pass

P = ParamSpec("P")
Outcome = TypeVar("Outcome")
Work = Callable[P, Coroutine[Any, Any, Outcome]]


def step(name: str) -> Callable[[Work[P, Outcome]], Task[P, Coroutine[Any, Any, Outcome]]]:
    """Make a task of a step that is done once: of the ledger, of a report."""

    def make(work: Work[P, Outcome]) -> Task[P, Coroutine[Any, Any, Outcome]]:
        return task(name=name, cache_policy=NO_CACHE, persist_result=False)(work)

    return make


def call(name: str) -> Callable[[Work[P, Outcome]], Task[P, Coroutine[Any, Any, Outcome]]]:
    """Make a task of a call that may be repeated: tried again while the reason of its failure may pass."""

    def make(work: Work[P, Outcome]) -> Task[P, Coroutine[Any, Any, Outcome]]:
        retried = task(
            name=name,
            cache_policy=NO_CACHE,
            persist_result=False,
            retries=3,
            retry_delay_seconds=exponential_backoff(2),
            retry_jitter_factor=0.5,
            retry_condition_fn=may_pass,
        )
        return retried(work)

    return make
