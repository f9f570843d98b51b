"""Processes beside the first: a worker, and more that answer calls. Each has an interpreter to itself."""

import asyncio
import multiprocessing
import os
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import structlog

_STOP_SECONDS = 15

log = structlog.get_logger(__name__)


class WakeUpCall:
    """Wakes the worker process, whoever has work for it. It outlives both, so that each may start again."""

    def __init__(self) -> None:
        self._sending, self.receiving = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._sending.setblocking(False)
        self.receiving.setblocking(False)

    def wake(self) -> None:
        """Say that there is work. A full queue has said it already."""
        with suppress(BlockingIOError, ConnectionError):
            self._sending.send(b"\0")

    def on_wake(self, wake: Callable[[], None]) -> None:
        """Have ``wake`` called, in the running event loop, when somebody has work."""
        asyncio.get_running_loop().add_reader(self.receiving, self._wake, wake)

    def _wake(self, wake: Callable[[], None]) -> None:
        with suppress(BlockingIOError):
            while self.receiving.recv(1):
                pass
        wake()


@dataclass(frozen=True, slots=True)
class ChildProcess:
    """Keeps one process running. It is forked from one that has imported the service, and shares its memory."""

    name: str
    work: Callable[..., None]
    arguments: tuple[object, ...]

    async def run(self) -> None:
        """Run the process until cancelled. Raises RuntimeError when it ends by itself."""
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["messaging_service.preloaded"])
        process = context.Process(target=_run, args=(self.work, *self.arguments), name=f"dovecote-{self.name}")
        process.start()
        try:
            await _ended(process)
            raise RuntimeError(f"the process {self.name} ended with code {process.exitcode}")
        finally:
            await asyncio.shield(asyncio.to_thread(_stop, process))


def stop_with_parent(stop: Callable[[], None]) -> None:
    """Have ``stop`` called, in the running event loop, on SIGTERM and when the parent process is gone."""
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, stop)
    parent = multiprocessing.parent_process()
    if parent is not None:

        def on_gone() -> None:
            loop.remove_reader(parent.sentinel)
            stop()

        loop.add_reader(parent.sentinel, on_gone)


def _run(work: Callable[..., None], *arguments: object) -> None:
    os.setpgid(0, 0)  # Ctrl-C is for the parent, which stops its children in order
    with suppress(OSError):  # what `top` and `ps -c` show, where there is a /proc
        Path("/proc/self/comm").write_text(multiprocessing.current_process().name, "utf-8")
    work(*arguments)


async def _ended(process: ForkServerProcess) -> None:
    ended = asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.add_reader(process.sentinel, ended.set)
    try:
        await ended.wait()
    finally:
        loop.remove_reader(process.sentinel)
    process.join()


def _stop(process: ForkServerProcess) -> None:
    if process.is_alive():
        process.terminate()
        process.join(_STOP_SECONDS)
    if process.is_alive():
        process.kill()
        process.join()
