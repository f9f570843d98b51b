"""Run a deployed flow from the command line: start it, show how far it is, and read what it left."""

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeElapsedColumn

from deployments.prefect_server import PrefectServer
from deployments.problems import CannotRun

AUTHORIZATION_VARIABLE = "PREFECT_API_AUTH_STRING"
_LOOK_EVERY_SECONDS = 0.5
_ENDED = {"COMPLETED", "FAILED", "CRASHED", "CANCELLED"}
_NOBODY_RUNS_IT_SECONDS = 20.0
_PROGRESS = "-progress"


@dataclass(slots=True)
class _Shown:
    """What one sees of a run: a bar on a terminal; elsewhere, so that no script hangs in silence, what it waits for."""

    what: str
    progress: Progress
    task: TaskID
    reason: str = ""

    def waiting(self, reason: str) -> None:
        description = f"{self.what}: {reason}"
        self.progress.update(self.task, description=description)
        if reason != self.reason and not self.progress.console.is_terminal:
            self.progress.console.print(description, soft_wrap=True, markup=False, highlight=False)
        self.reason = reason

    def going_on(self, percent: float | None) -> None:
        self.reason = ""
        if percent is not None:
            self.progress.update(self.task, total=100, completed=percent, description=self.what)


@contextmanager
def _shown(what: str, console: Console) -> Iterator[_Shown]:
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        yield _Shown(what, progress, progress.add_task(what, total=None))


@dataclass(frozen=True, slots=True)
class FlowRun:
    """A run on a Prefect server."""

    server: PrefectServer
    id: str

    @property
    def address(self) -> str:
        """Where the Prefect UI shows it."""
        return f"{self.server.root}/runs/flow-run/{self.id}"

    def follow(self, what: str, console: Console) -> None:
        """Show how far it is until it has ended. Raises CannotRun with its reason when it ended otherwise than well."""
        begun = time.monotonic()
        with _shown(what, console) as shown:
            while True:
                state, message = self.server.state_of(self.id)
                if state in _ENDED:
                    break
                if state == "SCHEDULED":
                    if time.monotonic() - begun > _NOBODY_RUNS_IT_SECONDS:
                        shown.waiting(f"no process has taken it yet: {self.address}")
                elif state == "PAUSED":
                    shown.waiting(f"waits for a person's answer: {self.address}")
                else:
                    shown.going_on(self._percent())
                time.sleep(_LOOK_EVERY_SECONDS)
        if state != "COMPLETED":
            raise CannotRun(_reason(state, message))

    def rows(self, ending: str) -> list[dict[str, Any]]:
        """Return the rows of the table that it left under a key that ends so."""
        left = self.server.artifacts_of(self.id)
        found = next((data for key, data in left.items() if key.endswith(ending)), None)
        if found is None:
            raise CannotRun(f"The run left no report; see {self.address}")
        return list(json.loads(found))

    def _percent(self) -> float | None:
        left = self.server.artifacts_of(self.id)
        return next((float(data) for key, data in left.items() if key.endswith(_PROGRESS)), None)


def prefect_server(api: str) -> PrefectServer:
    """Return the server whose API is at this address, such as PREFECT_API_URL has."""
    root = api.rstrip("/").removesuffix("/api")
    return PrefectServer(root, os.environ.get(AUTHORIZATION_VARIABLE, ""))


def start(server: PrefectServer, flow: str, deployment: str | None, parameters: Mapping[str, Any]) -> FlowRun:
    """Start a run of the flow's deployment. Raises CannotRun."""
    return FlowRun(server, server.start_run(server.deployment_of(flow, deployment), dict(parameters)))


def show_started(run: FlowRun, *, as_json: bool) -> None:
    """Print where a run is that nobody waits for: its address, or with its id as one JSON object."""
    typer.echo(json.dumps({"run": run.id, "address": run.address}) if as_json else run.address)


def _reason(state: str, message: str) -> str:
    if state == "CANCELLED":
        return message or "The run was cancelled."
    # Prefect writes: Flow run encountered an exception: SegmentShrank: The segment …
    sentence = message.removeprefix("Flow run encountered an exception: ").strip()
    kind, colon, rest = sentence.partition(": ")
    told = rest if colon and kind.isidentifier() else sentence
    return told or f"The run ended as {state.lower()}."
