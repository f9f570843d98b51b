"""The measures of the main job: accept one and 100 recipients a call, end to end, and the way of a single message."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks import stream
from benchmarks.call import Call
from benchmarks.callbacks import Callbacks, receiving
from benchmarks.load import Target, press
from benchmarks.processes import wait_until
from benchmarks.system import System

WARM_UP = 10_000
"""Messages sent before the clock of a throughput measure starts."""

WARM_UP_SECONDS = 1.0
DRAIN = 300
"""Seconds within which everything accepted must have been reported."""

PAUSE = 0.1
"""Seconds between the messages of an idle service."""


@dataclass(frozen=True)
class Plan:
    """How much is measured, and in which directory (its file system is part of what is measured)."""

    seconds: float = 5
    repetitions: int = 3
    messages: int = 20_000
    singles: int = 30
    lines: int = 1_000_000
    directory: Path | None = None

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """Make a directory that is removed afterwards."""
        with TemporaryDirectory(dir=self.directory, prefix="dovecote-benchmark-") as name:
            yield Path(name)


def accept_single(system: System, plan: Plan) -> float:
    """Messages accepted a second, one recipient a call, while the system goes on to send them."""
    return _accepted(system, system.single(""), plan)


def accept_batch(system: System, plan: Plan) -> float:
    """Messages accepted a second, 100 recipients a call, while the system goes on to send them."""
    return _accepted(system, system.batch(""), plan)


def end_to_end(system: System, plan: Plan) -> float:
    """Messages a second from the first call to the last report of a delivery, 100 recipients a call."""
    with (
        plan.scratch() as directory,
        system.running(directory) as port,
        receiving(system.delivered, directory) as callbacks,
    ):
        call = system.batch(callbacks.url)
        _send(port, call, WARM_UP, 0)
        _wait_for(callbacks, WARM_UP)
        start = time.time()
        messages = plan.messages // call.recipients * call.recipients
        _send(port, call, messages, WARM_UP)
        _wait_for(callbacks, WARM_UP + messages)
        return messages / (callbacks.counted().last - start)


def single_latency(system: System, plan: Plan) -> float:
    """Milliseconds from the answer to the report that the operator took the message: idle service, median.

    The report's own way to the receiver is in it, so this is an upper bound of the way to the operator.
    """
    with plan.scratch() as directory, system.running(directory) as port, receiving(system.sent, directory) as callbacks:
        return median(_single(port, system.single(callbacks.url), index, callbacks) for index in range(plan.singles))


def _accepted(system: System, call: Call, plan: Plan) -> float:
    with plan.scratch() as directory, system.running(directory) as port:
        target = Target(port, may_refuse=system.may_refuse)
        warm_up = press(target, call, WARM_UP_SECONDS, 0)
        used = (
            warm_up.calls + target.connections + 1
        )  # with those in flight at the end, and one that wrk makes up first
        return press(target, call, plan.seconds, used * call.recipients).rate * call.recipients


def _send(port: int, call: Call, messages: int, first: int) -> None:
    _calls, failed, _seconds = stream.so_many(port, 16, call, messages // call.recipients, first)
    if failed:
        raise RuntimeError(f"{failed} calls failed")


def _wait_for(callbacks: Callbacks, events: int) -> None:
    wait_until(lambda: callbacks.counted().events >= events, f"the report of {events} messages", DRAIN)


def _single(port: int, call: Call, index: int, callbacks: Callbacks) -> float:
    time.sleep(PAUSE)
    before = callbacks.counted().events
    answered = _post(port, call, index)
    wait_until(lambda: callbacks.counted().events > before, "the report of a message")
    return max(0.0, callbacks.counted().last - answered) * 1000


def _post(port: int, call: Call, index: int) -> float:
    _calls, failed, _seconds = stream.so_many(port, 1, call, 1, index)
    answered = time.time()
    if failed:
        raise RuntimeError("the call failed")
    return answered
