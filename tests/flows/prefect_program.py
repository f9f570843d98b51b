"""A Prefect server as a process of its own, so that it can be killed and started again."""

import os
import subprocess
import sys
import time
from pathlib import Path

import httpx
from fixed_ports import free_ports


class PrefectProgram:
    def __init__(self, home: Path) -> None:
        (self.port,) = free_ports(1)
        self.api = f"http://127.0.0.1:{self.port}/api"
        self.home = home
        self.process: subprocess.Popen | None = None

    def start(self) -> None:
        """Start it over what an earlier one has left; returns when it answers."""
        environment = {
            **os.environ,
            "PREFECT_HOME": str(self.home),
            "PREFECT_API_DATABASE_CONNECTION_URL": f"sqlite+aiosqlite:///{self.home / 'prefect.db'}",
            "PREFECT_API_URL": self.api,
            "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
            "DO_NOT_TRACK": "1",
        }
        command = [sys.executable, "-m", "prefect", "server", "start", "--host", "127.0.0.1", "--port", str(self.port)]
        with (self.home / "server.log").open("a") as log:
            self.process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        ends = time.monotonic() + 90
        while time.monotonic() < ends:
            try:
                if httpx.get(f"{self.api}/ready", trust_env=False).is_success:
                    return
            except httpx.TransportError:
                time.sleep(0.1)
        raise TimeoutError((self.home / "server.log").read_text()[-2000:])

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
