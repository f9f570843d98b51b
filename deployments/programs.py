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
from types import FrameType
from typing import Any, Self

from deployments.problems import CannotRun

STOP_SECONDS = 10.0
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_LOOK_EVERY_SECONDS = 0.05


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

    @property
    def has_ended(self) -> bool:
        """Whether it runs no more."""
        return self._process.poll() is not None

    def check(self) -> None:
        """Raise CannotRun when the program has ended by itself."""
        if self.has_ended:
            raise CannotRun(f"{self._program.name} ended unexpectedly{self._last_words()} (see {self._program.log}).")

    def ask_to_stop(self) -> None:
        """Send the signal by which it stops in order, if it still runs."""
        if not self.has_ended:
            self._process.send_signal(self._program.stop_signal)

    def end(self) -> None:
        """Make an end of all that is left of it and of what it started."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _last_words(self) -> str:
        lines = self._program.log.read_text(errors="replace").strip().splitlines()
        return f": {lines[-1].strip().rstrip('.')}" if lines else ""


class Programs:
    """Programs that run together; leaving the block stops all of them, those started last first.

    Inside the block Ctrl-C, SIGTERM and SIGHUP are a wish that `check` turns into KeyboardInterrupt, so that none comes
    between the start of a program and our knowing of it. One that comes while the programs stop means: at once.
    """

    def __init__(self) -> None:
        self._groups: list[list[RunningProgram]] = []
        self._handlers: dict[signal.Signals, Any] = {}
        self._is_to_stop = False
        self._is_stopping = False
        self._is_in_a_hurry = False

    def start(self, *programs: Program) -> None:
        """Start programs side by side; they stop side by side too."""
        group: list[RunningProgram] = []
        self._groups.append(group)
        for program in programs:  # one by one, so that those before one that can't start are stopped too
            group.append(RunningProgram(program))  # noqa: PERF401

    def check(self) -> None:
        """Raise KeyboardInterrupt when we are to stop, CannotRun when a program has ended by itself."""
        if self._is_to_stop:
            raise KeyboardInterrupt
        for group in self._groups:
            for program in group:
                program.check()

    def __enter__(self) -> Self:
        self._handlers = {each: signal.signal(each, self._on_signal) for each in STOP_SIGNALS}
        return self

    def __exit__(self, *_: object) -> None:
        self._is_stopping = True
        ends = time.monotonic() + STOP_SECONDS
        for group in reversed(self._groups):
            for program in group:
                program.ask_to_stop()
            while not (self._is_in_a_hurry or time.monotonic() > ends or all(program.has_ended for program in group)):
                time.sleep(_LOOK_EVERY_SECONDS)
            for program in group:
                program.end()
        for each, handler in self._handlers.items():
            signal.signal(each, handler)

    def _on_signal(self, _signal: int, _frame: FrameType | None) -> None:
        self._is_in_a_hurry = self._is_stopping
        self._is_to_stop = True


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
