"""The service in a process of its own, which a test may kill."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
from running_service import KEY, VERIFICATION_KEY, MovableClock, RunningService

from messaging_service.settings import Settings
from messaging_service.store.engine import open_store
from messaging_service.store.migrate import migrate

PROGRAM = Path(__file__).with_name("service_program.py")


@contextmanager
def run_process(database_url: str, folder: Path, fault: str = "none", **settings: str) -> Iterator[RunningService]:
    """Run the service in a process until the block ends; its log is ``service.log`` in the folder."""
    given = {"database": database_url, "operator_database": f"sqlite:///{folder}/operator.db", "operator_delay": "0-1"}
    given |= {"verification_key": VERIFICATION_KEY, "api_key": KEY} | settings
    environment = {name: value for name, value in os.environ.items() if not name.startswith("DOVECOTE_")}
    environment |= {f"DOVECOTE_{name.upper()}": value for name, value in given.items()}
    store = open_store(database_url)
    migrate(store)
    with ExitStack() as to_close, (folder / "service.log").open("ab") as log:
        to_close.callback(store.close)
        process = subprocess.Popen(
            [sys.executable, str(PROGRAM), fault], env=environment, stdout=subprocess.PIPE, stderr=log, text=True
        )
        to_close.callback(_end, process)
        url = f"http://127.0.0.1:{process.stdout.readline().strip()}"
        _wait_until_it_answers(url)
        yield RunningService(url, KEY, store, MovableClock(), Settings(**given), to_close)


def _end(process: subprocess.Popen[str]) -> None:
    process.terminate()
    process.wait(20)
    process.stdout.close()


def _wait_until_it_answers(url: str) -> None:
    ends = time.monotonic() + 20
    while time.monotonic() < ends:
        try:
            httpx.get(f"{url}/healthz")
        except httpx.TransportError:
            time.sleep(0.02)
        else:
            return
    raise AssertionError("the service didn't start")
