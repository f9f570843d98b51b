"""The fake provider as a process of its own, so that a flow can be killed while it goes on."""

import json
import os
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx


@dataclass
class ProviderProgram:
    address: str
    log: Path

    @property
    def copies(self) -> Counter[str]:
        """How many messages each phone number got, by the provider's own log."""
        if not self.log.exists():
            return Counter()
        return Counter(json.loads(line)[0] for line in self.log.read_text().splitlines())

    @property
    def bodies(self) -> set[str]:
        """The texts that were taken."""
        return {json.loads(line)[2] for line in self.log.read_text().splitlines()} if self.log.exists() else set()


@contextmanager
def provider_program(log: Path, settings: dict[str, str] | None = None) -> Iterator[ProviderProgram]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {**os.environ, **(settings or {}), "PROVIDER_PORT": str(port), "PROVIDER_LOG": str(log)}
    process = subprocess.Popen([sys.executable, Path(__file__).with_name("provider.py")], env=environment)
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for(address)
        yield ProviderProgram(address, log)
    finally:
        process.terminate()
        process.wait(10)


def _wait_for(address: str) -> None:
    for _ in range(200):
        try:
            httpx.get(address)
        except httpx.TransportError:
            time.sleep(0.05)
        else:
            return
    raise TimeoutError(address)
