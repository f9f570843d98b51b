"""Dovecote on a new SQLite store with full sync, with the simulated operator answering at once."""

import json
import os
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path

from benchmarks.call import PLACE, Call
from benchmarks.processes import free_ports, listeners, running, wait_until
from benchmarks.system import SENDER, TEXT, System

KEY = "benchmark-key-of-the-loopback-only"
COMMAND = Path(sys.executable).with_name("dovecote")
PROCESSES = min(os.cpu_count() or 1, 4)
SETTINGS = {
    "DOVECOTE_API_PROCESSES": str(PROCESSES),
    "DOVECOTE_API_KEY": KEY,
    "DOVECOTE_CREDIT": "999999999",
    "DOVECOTE_OPERATOR_DELAY": "0-0",
    "DOVECOTE_ALLOW_PRIVATE_CALLBACKS": "true",
    "DOVECOTE_LOG_LEVEL": "warning",
}


@contextmanager
def started(directory: Path) -> Iterator[int]:
    """Run ``dovecote serve`` with its store in ``directory``; gives its port once it is ready."""
    store = {"DOVECOTE_DATABASE": f"sqlite:///{directory / 'dovecote.db'}"}
    with serving("serve", directory, {**SETTINGS, **store}) as port:
        wait_until(lambda: listeners(port) in {0, PROCESSES}, "the start of all processes that answer calls")
        yield port


@contextmanager
def serving(command: str, directory: Path, settings: Mapping[str, str]) -> Iterator[int]:
    """Run a service by its command, with its log in ``directory``; gives its port once it is ready."""
    (port,) = free_ports(1)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("DOVECOTE_")}
    log = directory / f"{command}.log"
    with running([str(COMMAND), command, "--port", str(port)], log, {**environment, **settings}) as process:
        wait_until(lambda: process.poll() is not None or _ready(port), f"the start of dovecote {command}")
        if process.returncode is not None:
            raise RuntimeError(f"dovecote {command} ended with {process.returncode}: {log.read_text()}")
        yield port


def _ready(port: int) -> bool:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5) as response:
        return bool(response.status == HTTPStatus.OK)


def _message(recipients: int, callback: str) -> dict[str, object]:
    told = {"callback": f"{callback}/events"} if callback else {}
    return {"to": [{"phone_number": PLACE}] * recipients, "body": TEXT, "sender": SENDER, **told}


def _post(path: str, body: object) -> Call:
    return Call("POST", path, json.dumps(body), {"Content-Type": "application/json", "x-api-key": KEY})


DOVECOTE = System(
    name="Dovecote",
    missing="" if COMMAND.exists() else "dovecote",
    running=started,
    single=lambda callback: _post("/v2/message", _message(1, callback)),
    batch=lambda callback: _post("/v2/messages", [_message(10, callback)] * 10),
    delivered='"delivered"',
    sent='"sent"',
)
