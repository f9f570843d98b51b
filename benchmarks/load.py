"""Load for a length of time, the same for every system: from wrk, or from Python where wrk isn't installed."""

import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks import stream
from benchmarks.call import Call
from benchmarks.recipients import PREFIXES

SCRIPT = Path(__file__).with_name("load.lua")
CONNECTIONS = 64


@dataclass(frozen=True)
class Target:
    """Where load goes, and the share of calls that it may refuse."""

    port: int
    connections: int = CONNECTIONS
    may_refuse: float = 0.0

    @property
    def url(self) -> str:
        """The address without a path."""
        return f"http://127.0.0.1:{self.port}"


@dataclass(frozen=True)
class Outcome:
    """What a load came to: calls answered, those among them that failed, and the seconds they took."""

    calls: int
    failed: int
    seconds: float

    @property
    def rate(self) -> float:
        """Calls that succeeded a second."""
        return (self.calls - self.failed) / self.seconds


def generator() -> str:
    """Return the name of the load generator in use, for the report."""
    return "wrk, one thread" if shutil.which("wrk") else "Python (wrk not installed)"


def press(target: Target, call: Call, seconds: float, first: int) -> Outcome:
    """Repeat ``call`` on all connections of ``target`` for ``seconds``, with recipients from index ``first`` on.

    Raises ``RuntimeError`` when more calls failed than ``target`` may refuse.
    """
    outcome = _chosen()(target, call, seconds, first)
    if outcome.failed > target.may_refuse * outcome.calls or not outcome.calls:
        raise RuntimeError(f"{outcome.failed} of {outcome.calls} calls to {target.url} failed")
    return outcome


def _chosen() -> Callable[[Target, Call, float, int], Outcome]:
    return _wrk if shutil.which("wrk") else _python


def _wrk(target: Target, call: Call, seconds: float, first: int) -> Outcome:
    headers = [f"{name}: {value}" for name, value in call.headers.items()]
    command = [
        "wrk",
        "-t1",
        f"-c{target.connections}",
        f"-d{max(1, round(seconds))}s",
        "-s",
        str(SCRIPT),
        target.url,
        "--",
    ]
    described = [" ".join(PREFIXES), str(first), call.method, call.path, call.body, *headers]
    printed = subprocess.run([*command, *described], check=True, capture_output=True, text=True).stdout
    result = re.search(r"^result (\d+) (\d+) (\d+)", printed, re.MULTILINE)
    if result is None:
        raise RuntimeError(f"wrk printed no result: {printed}")
    calls, failed, microseconds = map(int, result.groups())
    return Outcome(calls, failed, microseconds / 1e6)


def _python(target: Target, call: Call, seconds: float, first: int) -> Outcome:
    return Outcome(*stream.for_seconds(target.port, target.connections, call, seconds, first))
