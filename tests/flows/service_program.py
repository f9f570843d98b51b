"""The messaging service itself as a process of its own, over a store of its own."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx

KEY = "key-of-a-test-0123456789"
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+(?=\s)")
PATIENCE_SECONDS = 60


@contextmanager
def service_program(folder: Path) -> Iterator[str]:
    """The root address of a service that takes `KEY`."""
    environment = {**os.environ, "DOVECOTE_API_KEY": KEY, "DOVECOTE_CREDIT": "1000000"}
    command = [sys.executable, "-c", "from deployments.command_line import main; main()", "serve", "--port", "0"]
    log_file = folder / "service.log"
    with log_file.open("w") as log:
        process = subprocess.Popen(
            [*command, "--database", f"sqlite:///{folder / 'service.db'}"], env=environment, stdout=log, stderr=log
        )
    try:
        yield _address_in(log_file, process)
    finally:
        process.terminate()
        process.wait(60)


def _address_in(log: Path, process: subprocess.Popen[bytes]) -> str:
    """Where it says that it listens, once it answers there."""
    ends = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < ends and process.poll() is None:
        told = ADDRESS.search(log.read_text())
        with suppress(httpx.TransportError):
            if told and httpx.get(f"{told[0]}/healthz").is_success:
                return told[0]
        time.sleep(0.1)
    raise TimeoutError(log.read_text())
