"""Processes that a benchmark starts, waits for and ends; never any other."""

import os
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

PATIENCE = 30
"""Seconds a process has to start or to end."""
_LISTENING = "0A"


def free_ports(count: int) -> list[int]:
    """Return ports of the loopback that were free a moment ago, all different."""
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


@contextmanager
def running(
    command: Sequence[str], log: Path, environment: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """Run ``command`` with its output in ``log``, and end it on the way out: politely, then not."""
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, stdin=subprocess.DEVNULL, env=environment)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def wait_until(ready: Callable[[], bool], what: str, seconds: float = PATIENCE) -> None:
    """Ask ``ready`` until it says yes; connections refused count as no. Raises ``TimeoutError`` that names ``what``."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if ready():
                return
        except OSError:
            pass
        time.sleep(0.05)
    raise TimeoutError(f"{what} did not happen within {seconds:.0f} s")


def listeners(port: int) -> int:
    """Return how many sockets listen on a port, which processes may share; 0 without ``/proc``."""
    try:
        rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    except OSError:
        return 0
    return sum(row[1].endswith(f":{port:04X}") and row[3] == _LISTENING for row in rows)


def descendants(pid: int) -> list[int]:
    """Return the processes that a process started, theirs, and so on; none where there is no ``/proc``."""
    try:
        children = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []
    return children + [each for child in children for each in descendants(child)]


def processor_seconds(pid: int) -> float:
    """Return the processor time that the running descendants of a process have used, the system's included."""
    return sum(_ticks(each) for each in descendants(pid)) / os.sysconf("SC_CLK_TCK")


def _ticks(pid: int) -> int:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    except OSError:
        return 0
    return int(fields[11]) + int(fields[12])
