"""The command ``dovecote`` as people run it: real processes, in a data directory and an environment of their own."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PATIENCE_SECONDS = 120
COMMAND = Path(sys.executable).with_name("dovecote")
KEY = re.compile(r"\b[0-9a-f]{64}\b")
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+[^\s,;)]*")


@dataclass
class Running:
    """A process that was started, and the file of what it has printed so far."""

    process: subprocess.Popen
    output: Path

    def wait_for(self, text: str) -> str:
        """Return the output as soon as it has ``text``."""
        ends = time.monotonic() + PATIENCE_SECONDS
        while text not in (printed := self.output.read_text()):
            assert self.process.poll() is None, printed
            assert time.monotonic() < ends, printed
            time.sleep(0.05)
        return printed

    def interrupt(self) -> int:
        """Press Ctrl-C: SIGINT to the whole group in the foreground. Returns the exit code."""
        os.killpg(self.process.pid, signal.SIGINT)
        return self.process.wait(PATIENCE_SECONDS)


@dataclass
class Dovecote:
    """The command with a data directory of its own."""

    folder: Path

    def run(self, *arguments: object, **environment: str) -> subprocess.CompletedProcess:
        """Run a command to its end."""
        return subprocess.run(
            [COMMAND, *map(str, arguments)],
            env=self._environment() | environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=False,
        )

    @contextmanager
    def started(self, *arguments: object, **environment: str) -> Iterator[Running]:
        """Run a command beside the test, in a group of its own as a terminal does; it is ended after the block."""
        self.folder.mkdir(parents=True, exist_ok=True)
        output = self.folder / f"{arguments[0]}-{time.monotonic_ns()}.out"
        with output.open("wb") as opened:
            process = subprocess.Popen(
                [COMMAND, *map(str, arguments)],
                env=self._environment() | environment,
                stdin=subprocess.DEVNULL,
                stdout=opened,
                stderr=opened,
                start_new_session=True,
            )
        try:
            yield Running(process, output)
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait(PATIENCE_SECONDS)

    def processes(self) -> list[str]:
        """List the processes that run in this data directory, by their command lines."""
        found = []
        for each in Path("/proc").glob("[0-9]*"):
            try:
                if f"XDG_DATA_HOME={self.folder}".encode() in (each / "environ").read_bytes().split(b"\0"):
                    found.append((each / "cmdline").read_bytes().replace(b"\0", b" ").decode())
            except (OSError, ValueError):
                continue
        return [command for command in found if command]

    def processes_left(self) -> list[str]:
        """List those that don't end; what was killed has a moment to go."""
        ends = time.monotonic() + 10
        while (left := self.processes()) and time.monotonic() < ends:
            time.sleep(0.05)
        return left

    def _environment(self) -> dict[str, str]:
        own = {name: value for name, value in os.environ.items() if not name.startswith(("DOVECOTE_", "PREFECT_"))}
        return own | {"XDG_DATA_HOME": str(self.folder), "COLUMNS": "160"}


def port_options(ports: list[int]) -> list[object]:
    """Return the options by which `demo` and `up` take these three ports."""
    return [*("--port", ports[0]), *("--prefect-port", ports[1]), *("--verify-port", ports[2])]
