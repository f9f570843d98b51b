"""Everything on one machine: the messaging service, a Prefect server of its own, and the flows served on it."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path

import httpx

from deployments.account_key import kept_key
from deployments.ports import Ports
from deployments.prefect_server import PrefectServer
from deployments.problems import CannotRun
from deployments.programs import Program, Programs, require_free_port
from messaging_service.settings import data_directory, read_settings

HOST = "127.0.0.1"
DEPLOYMENT = "send-campaign/this-machine"
_START_SECONDS = 90.0
_LOOK_EVERY_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Place:
    """Where a machine keeps its data and listens. ``environment`` is what its programs start with."""

    directory: Path
    ports: Ports
    database: str
    environment: Mapping[str, str]

    @property
    def address(self) -> str:
        """Root address of the messaging service."""
        return f"http://{HOST}:{self.ports.service}"

    @property
    def prefect_address(self) -> str:
        """Address of the Prefect UI."""
        return f"http://{HOST}:{self.ports.prefect}"

    @property
    def verify_address(self) -> str:
        """Address of verification for front ends, with its hosted page."""
        return f"http://{HOST}:{self.ports.verify}"

    @property
    def phone_address(self) -> str:
        """Address of the virtual phone, which shows what the simulated operator has delivered."""
        return f"{self.address}/phone"

    @property
    def key_file(self) -> Path:
        """Where the key of the flows is kept."""
        return self.directory / "flows.key"

    @property
    def ledger(self) -> str:
        """Address of the flows' ledger."""
        return f"sqlite:///{self.directory / 'ledger.sqlite3'}"


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine that runs; ``deployment_id`` is the served flow's."""

    place: Place
    key: str
    prefect: PrefectServer
    deployment_id: str
    programs: Programs

    def run_until_stopped(self) -> None:
        """Watch the programs. Ends by KeyboardInterrupt, or CannotRun when one of them ends by itself."""
        while True:
            self.programs.check()
            time.sleep(_LOOK_EVERY_SECONDS)


@contextmanager
def running(place: Place) -> Iterator[Machine]:
    """Run everything for the time of the block, started side by side. Raises CannotRun."""
    require_free_port(HOST, place.ports.service, "the messaging service", "--port (make demo: PORT=…)")
    require_free_port(HOST, place.ports.prefect, "the Prefect server", "--prefect-port (make demo: PREFECT_PORT=…)")
    require_free_port(HOST, place.ports.verify, "verification", "--verify-port (make demo: VERIFY_PORT=…)")
    begun = datetime.now(UTC)
    key = kept_key(place.key_file, place.database, place.environment.get("DOVECOTE_API_KEY"))
    prefect = PrefectServer(place.prefect_address)
    with Programs() as programs:
        programs.start(_prefect_server(place), _messaging_service(place, key))
        programs.start(_flows(place, key), _verification(place, key))
        _wait(programs, "the messaging service", lambda: _answers(f"{place.address}/readyz"))
        _wait(programs, "verification", lambda: _answers(f"{place.verify_address}/readyz"))
        _wait(programs, "the Prefect server", prefect.is_ready)
        _wait(programs, "the flows", lambda: prefect.deployment_since(DEPLOYMENT, begun) is not None)
        deployment_id = prefect.deployment_since(DEPLOYMENT, begun)
        yield Machine(place, key, prefect, str(deployment_id), programs)
    prefect.close()


def run_here(ports: Ports, say: Callable[[str], None]) -> None:
    """Run everything over the service's own settings and store until stopped. Raises CannotRun, WrongSettings."""
    place = Place(data_directory(), ports, read_settings().database, environment_without(""))
    with running(place) as machine:
        say(f"Messaging service  {place.address} (API documentation: {place.address}/docs)")
        say(f"Virtual phone      {place.phone_address}")
        say(f"Verification page  {place.verify_address}")
        say(f"Prefect            {place.prefect_address}")
        say(f"The key of the flows is in {place.key_file}; logs are in {place.directory / 'logs'}. Stop with Ctrl-C.")
        machine.run_until_stopped()


def _messaging_service(place: Place, key: str) -> Program:
    command = ["serve", "--host", HOST, "--port", str(place.ports.service), "--database", place.database]
    return Program(
        "The messaging service",
        [sys.executable, "-m", "deployments.command_line", *command],
        {**place.environment, "DOVECOTE_API_KEY": key},
        place.directory / "logs" / "messaging-service.log",
    )


def _prefect_server(place: Place) -> Program:
    return Program(
        "The Prefect server",
        [sys.executable, "-m", "prefect", "server", "start", "--host", HOST, "--port", str(place.ports.prefect)],
        _prefect_environment(place),
        place.directory / "logs" / "prefect-server.log",
    )


def _flows(place: Place, key: str) -> Program:
    return Program(
        "The process of the flows",
        [sys.executable, "-m", "deployments.serve_flows"],
        {
            **_prefect_environment(place),
            "DOVECOTE_API_KEY": key,
            "DOVECOTE_ADDRESS": place.address,
            "DOVECOTE_LEDGER": place.ledger,
        },
        place.directory / "logs" / "flows.log",
        # On SIGTERM Prefect's runner leaves without stopping its runs.
        signal.SIGINT,
    )


def _verification(place: Place, key: str) -> Program:
    chosen = {
        "DOVECOTE_VERIFY_UPSTREAM_KEY": key,
        "DOVECOTE_VERIFY_UPSTREAM_IDEMPOTENT": "true",
        "DOVECOTE_VERIFY_DATABASE": f"sqlite:///{place.directory / 'verify.db'}",
    }
    return Program(
        "Verification for front ends",
        [
            *(sys.executable, "-m", "deployments.command_line", "verify", "--host", HOST),
            *("--port", str(place.ports.verify), "--upstream", place.address),
        ],
        {**chosen, **place.environment},
        place.directory / "logs" / "verification.log",
    )


def _prefect_environment(place: Place) -> dict[str, str]:
    """Keep a user's own Prefect out of it, and this one quiet."""
    given = {name: value for name, value in place.environment.items() if not name.startswith("PREFECT_")}
    return given | {
        "PREFECT_HOME": str(place.directory / "prefect"),
        "PREFECT_API_URL": f"{place.prefect_address}/api",
        "PREFECT_SERVER_API_HOST": HOST,
        # The UI asks for the API on this port, whatever --port says.
        "PREFECT_SERVER_API_PORT": str(place.ports.prefect),
        "PREFECT_SERVER_ALLOW_EPHEMERAL_MODE": "false",
        "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
        "PREFECT_SERVER_UI_SHOW_PROMOTIONAL_CONTENT": "false",
        "DO_NOT_TRACK": "1",
        "PREFECT_RUNNER_POLL_FREQUENCY": "1",
        "PREFECT_FLOWS_HEARTBEAT_FREQUENCY": "30",
        "PREFECT_CLI_PROMPT": "false",
    }


def environment_without(prefix: str) -> dict[str, str]:
    """Return this process's environment, without the variables of a prefix and without a proxy for this machine.

    Modules of the folder in which somebody happens to be stay out of it, too.
    """
    kept = {name: value for name, value in os.environ.items() if not (prefix and name.startswith(prefix))}
    direct = ",".join(filter(None, [kept.get("NO_PROXY") or kept.get("no_proxy"), HOST, "localhost"]))
    return kept | {"NO_PROXY": direct, "no_proxy": direct, "PYTHONSAFEPATH": "1"}


def _wait(programs: Programs, what: str, is_so: Callable[[], bool]) -> None:
    ends = time.monotonic() + _START_SECONDS
    while not is_so():
        programs.check()
        if time.monotonic() > ends:
            raise CannotRun(f"Waited {_START_SECONDS:.0f} s for {what} in vain; see the logs.")
        time.sleep(_LOOK_EVERY_SECONDS)


def _answers(address: str) -> bool:
    try:
        return httpx.get(address, timeout=5, trust_env=False).status_code == HTTPStatus.OK
    except httpx.TransportError:
        return False
