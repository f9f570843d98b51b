"""The service as its users start it, ``dovecote serve``, in processes that a test may kill."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import httpx

from interface.calls import KEY_HEADER

DOVECOTE = Path(sys.executable).with_name("dovecote")
PATIENCE_SECONDS = 40.0
Clues = dict[str, str]


class ServiceProcess:
    """A started service: ``url``, what it has ``printed``, its ``process``, and the file with its log."""

    def __init__(self, log: Path, *arguments: str, **settings: str) -> None:
        self.log = log
        with log.open("ab") as log_file:
            self.process = subprocess.Popen(
                [DOVECOTE, "serve", "--port", "0", *arguments],
                stdout=subprocess.PIPE,
                stderr=log_file,
                text=True,
                env=environment(settings),
            )
        first = self.process.stdout.readline()
        found = re.search(r"http://\S+:\d+", first)
        assert found, log.read_text()
        self.url = found[0]
        self.printed = [first]

    def wait_until_ready(self) -> None:
        """Wait until calls are answered, and take in what was printed until then."""
        wait_until(lambda: answers(self.url) or self.process.poll() is not None)
        assert self.process.poll() is None, self.log.read_text()
        os.set_blocking(self.process.stdout.fileno(), False)
        self.printed += self.process.stdout.readlines()

    def client(self, key: str) -> httpx.Client:
        return httpx.Client(base_url=self.url, headers={KEY_HEADER: key}, timeout=PATIENCE_SECONDS)

    def family(self) -> set[int]:
        """Return the process and all that it has started."""
        return {self.process.pid, *descendants(self.process.pid)}

    def worker(self) -> int | None:
        """Return the child that works: the one that gives way to the others."""
        own = os.getpriority(os.PRIO_PROCESS, self.process.pid)
        return next((pid for pid in descendants(self.process.pid) if _niceness(pid) > own), None)

    def answering(self) -> set[int]:
        """Return the children that answer calls."""
        return set(descendants(self.process.pid)) - {self.worker()}

    def stop(self, with_signal: signal.Signals) -> float:
        """Send a signal. Returns how many seconds the process took to end."""
        began = time.monotonic()
        self.process.send_signal(with_signal)
        self.process.wait(PATIENCE_SECONDS)
        return time.monotonic() - began


@contextmanager
def serving(log: Path, *arguments: str, **settings: str) -> Iterator[ServiceProcess]:
    """Run a service that answers; at the end nothing of it is left."""
    service = ServiceProcess(log, *arguments, **settings)
    with closing(service.process.stdout):
        family = service.family()
        try:
            service.wait_until_ready()
            yield service
        finally:
            family |= service.family()
            service.process.kill()
            service.process.wait()
            for pid in family:
                if is_ours(pid):
                    os.kill(pid, signal.SIGKILL)


def environment(settings: dict[str, str]) -> dict[str, str]:
    """Return this process's environment with the service's settings and no others of its kind."""
    others = {name: value for name, value in os.environ.items() if not name.startswith(("DOVECOTE_", "PROMETHEUS_"))}
    given = {
        "DOVECOTE_OPERATOR_DELAY": "0-20",
        "DOVECOTE_API_PROCESSES": "2",
        "DOVECOTE_VERIFICATION_KEY": "the-verification-key-of-these-tests",
        "NO_COLOR": "1",
    }
    return others | given | {f"DOVECOTE_{name.upper()}": value for name, value in settings.items()}


def refused(*arguments: str, **settings: str) -> tuple[int, str]:
    """Start a service that can't start. Returns its exit code and what it said."""
    ended = subprocess.run(
        [DOVECOTE, "serve", *arguments],
        capture_output=True,
        text=True,
        env=environment(settings),
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    return ended.returncode, ended.stderr.strip()


def wait_until(is_so: Callable[[], Any], seconds: float = PATIENCE_SECONDS) -> Any:
    """Return what ``is_so`` returns as soon as it is true; fail after a while."""
    ends = time.monotonic() + seconds
    while not (found := is_so()):
        assert time.monotonic() < ends, "what the test waits for didn't happen"
        time.sleep(0.02)
    return found


def answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/healthz", timeout=5).is_success
    except httpx.TransportError:
        return False


def descendants(pid: int) -> list[int]:
    """Return the children of a process, and theirs."""
    try:
        listed = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    children = [int(child) for child in listed]
    return children + [each for child in children for each in descendants(child)]


def is_alive(pid: int) -> bool:
    """Whether a process runs (one that has ended and only waits to be collected doesn't)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def is_ours(pid: int) -> bool:
    """Whether a number still belongs to a process of a service (numbers are used again)."""
    try:
        return is_alive(pid) and b"python" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def _niceness(pid: int) -> int:
    try:
        return os.getpriority(os.PRIO_PROCESS, pid)
    except ProcessLookupError:
        return 0
