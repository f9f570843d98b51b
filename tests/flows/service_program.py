"""The messaging service itself as a process of its own, over a store of its own."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

KEY = "key-of-a-test-0123456789"


@contextmanager
def service_program(folder: Path) -> Iterator[str]:
    """The root address of a service that takes `KEY`."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {**os.environ, "DOVECOTE_API_KEY": KEY, "DOVECOTE_CREDIT": "1000000"}
    command = [sys.executable, "-c", "from deployments.command_line import main; main()", "serve", "--port", str(port)]
    with (folder / "service.log").open("w") as log:
        process = subprocess.Popen(
            [*command, "--database", f"sqlite:///{folder / 'service.db'}"], env=environment, stdout=log, stderr=log
        )
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for(f"{address}/healthz")
        yield address
    finally:
        process.terminate()
        process.wait(20)


def _wait_for(address: str) -> None:
    for _ in range(200):
        try:
            httpx.get(address)
        except httpx.TransportError:
            time.sleep(0.1)
        else:
            return
    raise TimeoutError(address)
