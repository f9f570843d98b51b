"""Which failures of a task may pass by themselves, so that repeating it makes sense."""

from typing import TYPE_CHECKING, Any

from prefect.client.schemas.objects import State, TaskRun

from flows.problems import NotNotified, ReceiverFailed
from interface.errors import (
    Conflict,
    ConnectionFailed,
    OutcomeUnknown,
    ServerFailed,
    TooManyRequests,
    UnexpectedAnswer,
)

if TYPE_CHECKING:
    from prefect.tasks import Task

MAY_PASS = (
    ConnectionFailed,
    OutcomeUnknown,
    UnexpectedAnswer,
    TooManyRequests,
    ServerFailed,
    Conflict,
    ReceiverFailed,
    NotNotified,
)
"""Repeating is safe for these because the ledger decides what is sent; other refusals stay as they are."""


async def may_pass(_task: "Task[..., Any]", _run: TaskRun, state: "State[Any]") -> bool:
    """Whether the task failed for a reason that may be gone the next time.

    Async because of a pitfall: a sync condition that asks for the result of an async task silently ends its retries.
    """
    error = await state.aresult(raise_on_failure=False)
    return isinstance(error, MAY_PASS)
