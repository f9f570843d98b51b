"""Which failures of a task may pass by themselves, so that repeating it makes sense, and after how long."""

from asyncio import sleep
from typing import TYPE_CHECKING, Any

from prefect.client.schemas.objects import State, TaskRun
from prefect.logging.loggers import task_run_logger

from flows.problems import NotNotified, ReceiverFailed
from interface.errors import (
    Conflict,
    ConnectionFailed,
    DovecoteError,
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
"""Repeating is safe for these because the ledger decides what is sent; other refusals stay as they are.

A `Conflict` may be a call that is still running under the same idempotency key, and an `UnexpectedAnswer` that of a
gateway before the service.
"""
LONGEST_WAIT_SECONDS = 300.0
"""A ``Retry-After`` is honoured up to here; the client by itself waits no longer than 30 seconds."""


async def may_pass(task: "Task[..., Any]", run: TaskRun, state: "State[Any]") -> bool:
    """Whether the task failed for a reason that may be gone the next time; first waits as the provider asks for.

    Prefect asks only while there are retries left, so the last failure is told at once. Async because of a pitfall: a
    sync condition that asks for the result of an async task silently ends its retries.
    """
    error = await state.aresult(raise_on_failure=False)
    if not isinstance(error, MAY_PASS):
        return False
    if isinstance(error, DovecoteError) and error.retry_after:
        seconds = min(error.retry_after, LONGEST_WAIT_SECONDS)
        task_run_logger(run, task).warning("Waits %.0f seconds, as the answer asks for: %s", seconds, error)
        await sleep(seconds)
    return True
