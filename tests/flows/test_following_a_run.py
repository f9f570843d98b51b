"""What a script, or a person without a terminal, is told while a run is waited for."""

import io

import pytest
from rich.console import Console
from serving import served
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

from deployments.flow_runs import FlowRun, prefect_server


class PrefectOfOneRun:
    """A Prefect server with one run, which is in these states, one after another."""

    def __init__(self, *states):
        self.states = list(states)

    @property
    def app(self):
        return Starlette(
            routes=[
                Route("/api/flow_runs/{run_id}", self.state),
                Route("/api/artifacts/filter", self.artifacts, methods=["POST"]),
            ]
        )

    async def state(self, _request):
        return JSONResponse({"state": {"type": self.states.pop(0), "message": None}})

    async def artifacts(self, _request):
        return JSONResponse([])


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr("deployments.flow_runs._LOOK_EVERY_SECONDS", 0)
    monkeypatch.setattr("deployments.flow_runs._NOBODY_RUNS_IT_SECONDS", -1)


def told(*states):
    """The lines that following a run through these states writes, without the address of the server."""
    written = io.StringIO()
    with served(PrefectOfOneRun(*states).app) as address:
        server = prefect_server(f"{address}/api")
        FlowRun(server, "r1").follow("Campaign Spring", Console(file=written))
        server.close()
    return written.getvalue().replace(address, "").splitlines()


def test_a_run_that_no_process_takes_is_told_once():
    assert told("SCHEDULED", "SCHEDULED", "RUNNING", "COMPLETED") == [
        "Campaign Spring: no process has taken it yet: /runs/flow-run/r1"
    ]


def test_a_run_that_waits_for_a_person_is_told_each_time_it_begins_to():
    waits = "Campaign Spring: waits for a person's answer: /runs/flow-run/r1"

    assert told("PAUSED", "PAUSED", "RUNNING", "PAUSED", "COMPLETED") == [waits, waits]


def test_a_run_that_goes_on_well_is_followed_in_silence():
    assert told("RUNNING", "COMPLETED") == []
