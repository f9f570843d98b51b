"""The processes of a service: the first one forks the others, and does so again when one ends.

It does nothing else. Without threads and connections it can be forked at any time, and what it has loaded is shared.
"""

import gc
import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import wait
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import NamedTuple

import structlog

from messaging_service.running.lifeline import Lifeline

_STOP_SECONDS = 15
_RESTART_AFTER_SECONDS = 1.0
"""A process that ends is started again at once, but no sooner than this after its last start."""
_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_MANY = 64
"""Signals that come together are one wish."""

log = structlog.get_logger(__name__)


Work = Callable[[Lifeline], None]


@dataclass(frozen=True, slots=True)
class ChildProcess:
    """A process to keep running. What its work inherits is open while ``prepare`` is: until after the fork."""

    name: str
    prepare: Callable[[], AbstractContextManager[Work]]


class _Running(NamedTuple):
    """A process that was started, and when on the machine's steady clock."""

    process: ForkProcess
    child: ChildProcess
    began: float


def run_processes(children: Sequence[ChildProcess], on_started: Callable[[], None]) -> None:
    """Keep processes running until SIGINT or SIGTERM; SIGINT again kills them. This process must have no threads."""
    gc.collect()
    gc.freeze()  # the collector leaves these objects alone, so that their pages stay shared
    with _asked_to_stop() as asked:
        family = _Family(asked)
        try:
            for child in children:
                family.start(child)
            on_started()
            family.keep_running()
        finally:
            family.stop()


class _Family:
    """The processes that run. ``asked`` is a descriptor from which a byte can be read for each wish to stop."""

    def __init__(self, asked: int) -> None:
        self._asked = asked
        self._lifeline = Lifeline()
        self._running: list[_Running] = []

    def start(self, child: ChildProcess) -> None:
        with child.prepare() as work, _stop_signals_held_back():
            process = multiprocessing.get_context("fork").Process(
                target=_run, args=(work, self._lifeline), name=f"dovecote-{child.name}"
            )
            process.start()
        self._running.append(_Running(process, child, time.monotonic()))

    def keep_running(self) -> None:
        """Start again whichever ends, until asked to stop."""
        while self._wait():
            for process, child, began in self._take_ended():
                log.error("process.ended", process=child.name, code=process.exitcode)
                wait([self._asked], max(0.0, began + _RESTART_AFTER_SECONDS - time.monotonic()))
                self.start(child)

    def stop(self) -> None:
        """Ask all to stop. Those that still run after a while, or when a person asks again, are killed."""
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # what starts programs may send it after a person's Ctrl-C
        for each in self._running:
            each.process.terminate()
        ends = time.monotonic() + _STOP_SECONDS
        while self._running and self._wait(max(0.0, ends - time.monotonic())):
            self._take_ended()
        for each in self._running:
            each.process.kill()
            each.process.join()

    def _wait(self, seconds: float | None = None) -> bool:
        """Wait until a process ends. Returns False when asked to stop, and when the time is over."""
        ready = wait([self._asked, *(each.process.sentinel for each in self._running)], seconds)
        if self._asked in ready:
            os.read(self._asked, _MANY)
            return False
        return bool(ready)

    def _take_ended(self) -> list[_Running]:
        ended = [each for each in self._running if not each.process.is_alive()]
        self._running = [each for each in self._running if each not in ended]
        return ended


def _run(work: Work, lifeline: Lifeline) -> None:
    for each in _STOP_SIGNALS:
        signal.signal(each, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOP_SIGNALS)
    lifeline.let_go()
    os.setpgid(0, 0)  # Ctrl-C is for the first process, which stops the others
    with suppress(OSError):  # what `top` and `ps -c` show, where there is a /proc
        Path("/proc/self/comm").write_text(multiprocessing.current_process().name, "utf-8")
    work(lifeline)


@contextmanager
def _asked_to_stop() -> Iterator[int]:
    """Yield a descriptor that gets a byte for each signal that asks this process to stop."""
    asked, asking = os.pipe()
    handlers = {each: signal.signal(each, lambda *_: os.write(asking, b"\0")) for each in _STOP_SIGNALS}
    try:
        yield asked
    finally:
        for each, handler in handlers.items():
            signal.signal(each, handler)
        os.close(asked)
        os.close(asking)


@contextmanager
def _stop_signals_held_back() -> Iterator[None]:
    """Let none come between a fork and the moment when the new process has forgotten our way of taking them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _STOP_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
