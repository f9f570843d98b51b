"""Programs that run beside this one, each in a session of its own, so that Ctrl-C reaches them through us, in order."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from deployments.problems import CannotRun

STOP_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Program:
    """What to run; ``name`` is what people call it, ``log`` gets everything that it prints."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    log: Path
    stop_signal: signal.Signals = signal.SIGTERM


class RunningProgram:
    """A program from its start to its end."""

    def __init__(self, program: Program) -> None:
        self._program = program
        program.log.parent.mkdir(parents=True, exist_ok=True)
        with program.log.open("wb") as log:
            self._process = subprocess.Popen(  # noqa: S603 - our own programs
                program.command,
                env=program.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def check(self) -> None:
        """Raise CannotRun when the program has ended by itself."""
        if self._process.poll() is not None:
            raise CannotRun(f"{self._program.name} ended unexpectedly{self._last_words()} (see {self._program.log}).")

    def ask_to_stop(self) -> None:
        """Send the signal by which it stops in order, if it still runs."""
        if self._process.poll() is None:
            self._process.send_signal(self._program.stop_signal)

    def wait(self, seconds: float) -> None:
        """Wait for the end; after ``seconds`` make one, of the program and of all that it started."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _last_words(self) -> str:
        lines = self._program.log.read_text(errors="replace").strip().splitlines()
        return f": {lines[-1].strip().rstrip('.')}" if lines else ""


class Programs:
    """Programs that run together; leaving the block stops all of them, those started last first."""

    def __init__(self) -> None:
        self._groups: list[list[RunningProgram]] = []

    def start(self, *programs: Program) -> None:
        """Start programs side by side; they stop side by side too."""
        group: list[RunningProgram] = []
        self._groups.append(group)
        for program in programs:  # one by one, so that those before one that can't start are stopped too
            group.append(RunningProgram(program))  # noqa: PERF401

    def check(self) -> None:
        """Raise CannotRun when one of them has ended by itself."""
        for program in self._all():
            program.check()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        ends = time.monotonic() + STOP_SECONDS
        try:
            for group in reversed(self._groups):
                for program in group:
                    program.ask_to_stop()
                for program in group:
                    program.wait(max(0.0, ends - time.monotonic()))
        except KeyboardInterrupt:  # a second Ctrl-C: now
            for program in self._all():
                program.wait(0)

    def _all(self) -> list[RunningProgram]:
        return [program for group in self._groups for program in group]


def require_free_port(host: str, port: int, owner: str, option: str) -> None:
    """Raise CannotRun when somebody listens on the port already."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise CannotRun(
                f"Can't use port {port} for {owner}: {error.strerror}; choose another with {option}."
            ) from None
