"""A flow in a process of its own that can be killed at a chosen moment."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class FlowProcess:
    """Starts one flow again and again, with the same parameters; ``kill`` ends the one that runs, from any thread."""

    flow: str
    parameters: dict
    environment: dict[str, str]
    log: Path
    running: subprocess.Popen | None = field(default=None)

    def run(self) -> int:
        """Run it to its end; the exit code is negative when it was killed."""
        script = Path(__file__).with_name("run_flow.py")
        with self.log.open("a") as log:
            self.running = subprocess.Popen(
                [sys.executable, script, self.flow, json.dumps(self.parameters)],
                env={**os.environ, **self.environment},
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        return self.running.wait(90)

    def kill(self) -> None:
        assert self.running is not None
        self.running.send_signal(signal.SIGKILL)
