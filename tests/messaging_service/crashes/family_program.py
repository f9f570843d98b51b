"""A program that keeps processes running in a folder. Each leaves a file named after it and its number there."""

import asyncio
import os
import signal
import sys
import threading
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import uvloop

from messaging_service.running.lifeline import Lifeline
from messaging_service.running.processes import ChildProcess, run_processes


def obey(folder: Path, name: str, lifeline: Lifeline) -> None:
    """Run until told to stop."""

    async def until_told() -> None:
        stopped = asyncio.Event()
        lifeline.on_end(stopped.set)
        (folder / f"{name}-{os.getpid()}").touch()
        await stopped.wait()

    uvloop.run(until_told())


def linger(folder: Path, name: str, _lifeline: Lifeline) -> None:
    """Run for ever, whatever it is told."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    (folder / f"{name}-{os.getpid()}").touch()
    threading.Event().wait()


def child(name: str, folder: Path) -> ChildProcess:
    work = linger if name.startswith("lingering") else obey
    return ChildProcess(name, lambda: nullcontext(partial(work, folder, name)))


if __name__ == "__main__":
    given = Path(sys.argv[1])
    run_processes([child(name, given) for name in sys.argv[2:]], (given / "started").touch)
