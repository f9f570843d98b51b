"""The two kinds of task: steps of the ledger, and calls that may be repeated."""

from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec, TypeVar

from prefect.cache_policies import NO_CACHE
from prefect.tasks import Task, exponential_backoff
from prefect.utilities.annotations import quote

from flows.retrying import may_pass

P = ParamSpec("P")
Outcome = TypeVar("Outcome")
Work = Callable[P, Coroutine[Any, Any, Outcome]]


class Undivided(Task[P, Outcome]):
    """A task that takes its arguments as they are.

    Prefect looks into every part of an argument for results of other tasks, twice; into 100,000 members that takes a
    minute. Our flows await the result of a task before they pass it on.
    """

    def __call__(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401  (Prefect's own overloads say more)
        """Call it with each argument marked as one that isn't looked into."""
        plain: Any = super().__call__
        return plain(*map(quote, args), **{name: quote(value) for name, value in kwargs.items()})


def step(name: str) -> Callable[[Work[P, Outcome]], Task[P, Coroutine[Any, Any, Outcome]]]:
    """Make a task of a step that is done once: of the ledger, of a report."""

    def make(work: Work[P, Outcome]) -> Task[P, Coroutine[Any, Any, Outcome]]:
        return Undivided(work, name=name, cache_policy=NO_CACHE, persist_result=False)

    return make


def call(name: str) -> Callable[[Work[P, Outcome]], Task[P, Coroutine[Any, Any, Outcome]]]:
    """Make a task of a call that may be repeated: tried again while the reason of its failure may pass."""

    def make(work: Work[P, Outcome]) -> Task[P, Coroutine[Any, Any, Outcome]]:
        return Undivided(
            work,
            name=name,
            cache_policy=NO_CACHE,
            persist_result=False,
            retries=3,
            retry_delay_seconds=exponential_backoff(2),
            retry_jitter_factor=0.5,
            retry_condition_fn=may_pass,
        )

    return make
