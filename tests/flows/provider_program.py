"""The fake provider as a process of its own, so that a flow can be killed while it goes on."""

import json
import os
import socket
import subprocess
import sys
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
    # It inherits a socket that listens: nobody else can take the port, and the first call waits for it.
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        socket_number = listener.fileno()
        environment = {
            **os.environ,
            **(settings or {}),
            "PROVIDER_SOCKET": str(socket_number),
            "PROVIDER_LOG": str(log),
        }
        command = [sys.executable, Path(__file__).with_name("provider.py")]
        process = subprocess.Popen(command, env=environment, pass_fds=[socket_number])
    try:
        httpx.get(address, timeout=60)
        yield ProviderProgram(address, log)
    finally:
        process.terminate()
        process.wait(60)
