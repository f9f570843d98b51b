"""A flow in a process of its own that can be killed at a chosen moment."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from forked_flow import BEGINS, ForkedFlow

PATIENCE_SECONDS = 180


@dataclass
class FlowProcess:
    """Starts one flow again and again, with the same parameters; ``kill`` ends the one that runs, from any thread."""

    flow: str
    parameters: dict
    environment: dict[str, str]
    log: Path
    running: ForkedFlow | None = field(default=None)
    starts: int = 0

    def run(self) -> int:
        """Run it to its end; the exit code is negative when it was killed."""
        self.start()
        return self._end()

    def start(self) -> ForkedFlow:
        self.log.touch()
        self.running = ForkedFlow(self.flow, self.parameters, {**os.environ, **self.environment}, self.log)
        self.starts += 1
        return self.running

    def run_and_kill(self, since: Callable[[], bool], seconds: float) -> int:
        """Run it, and kill it so long after something is so, unless it has ended by then; the exit code."""
        process = self.start()
        while process.poll() is None and not since():
            time.sleep(0.01)
        with suppress(subprocess.TimeoutExpired):
            return process.wait(seconds)
        self.kill()
        return self._end()

    def begun(self) -> bool:
        """Whether the process that was started last has imported all it needs."""
        return self.log.read_text().count(BEGINS) == self.starts

    def _end(self) -> int:
        assert self.running is not None
        try:
            return self.running.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            self.running.wait()
            raise TimeoutError(self.log.read_text()[-4000:]) from None

    def kill(self) -> None:
        assert self.running is not None
        self.running.send_signal(signal.SIGKILL)
