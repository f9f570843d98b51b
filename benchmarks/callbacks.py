"""Starts the callback receiver as a process of its own and asks what it has counted."""

import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.processes import free_ports, running, wait_until


@dataclass(frozen=True)
class Counted:
    """Events counted so far, and when (Unix time) the last one came."""

    events: int
    last: float


@dataclass(frozen=True)
class Callbacks:
    """A receiver that is running."""

    port: int

    @property
    def url(self) -> str:
        """Where events are to be sent; it may be extended by a path."""
        return f"http://127.0.0.1:{self.port}"

    def counted(self) -> Counted:
        """Ask the receiver."""
        with urllib.request.urlopen(f"{self.url}/tally", timeout=5) as response:
            events, _requests, last = response.read().split()
        return Counted(int(events), float(last))


@contextmanager
def receiving(marker: str, directory: Path) -> Iterator[Callbacks]:
    """Run a receiver that counts ``marker`` in what it is sent; its log goes to ``directory``."""
    (port,) = free_ports(1)
    command = [sys.executable, "-m", "benchmarks.receiver", str(port), marker]
    with running(command, directory / "receiver.log"):
        callbacks = Callbacks(port)
        wait_until(lambda: callbacks.counted().events == 0, "the start of the callback receiver")
        yield callbacks
