"""A campaign as people run it: from the command line, through served flows, approved."""

import asyncio
import json
import os
import subprocess
import sys
import time

import pytest
from builders import SOCKETS_OF_PREFECT
from flow_facts import forget_deployments
from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterTags
from prefect.client.schemas.objects import StateType
from prefect.states import Scheduled
from provider import Provider as FakeProvider
from serving import served
from typer.testing import CliRunner
from work_pools import processes_of, wait_until

from deployments.campaign_commands import app
from flows.campaign import send_campaign, send_wave
from flows.planning.approval import APPROVE
from flows.planning.tags import campaign_run_tag

pytestmark = [SOCKETS_OF_PREFECT, pytest.mark.timeout(600)]

NOW, LATER, NOBODY = "420777000001", "420777000002", "420777000003"


@pytest.fixture(scope="module")
def fake():
    provider = FakeProvider(honours_idempotency_key=True)
    with served(provider.app) as provider.address:
        yield provider


@pytest.fixture(scope="module")
def serving(prefect_server, fake, tmp_path_factory):
    """The process that serves the flows on one machine, as `dovecote up` starts it; the address of its ledger."""
    folder = tmp_path_factory.mktemp("served")
    book = f"sqlite:///{folder / 'ledger.sqlite3'}"
    environment = {
        **os.environ,
        "PREFECT_API_URL": prefect_server,
        "PREFECT_RUNNER_POLL_FREQUENCY": "1",
        "DOVECOTE_ADDRESS": fake.address,
        "DOVECOTE_API_KEY": "secret-key",
        "DOVECOTE_LEDGER": book,
    }
    forget_deployments()
    with (folder / "flows.log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "deployments.serve_flows"], env=environment, stdout=log, stderr=log
        )
    yield book
    process.kill()
    process.wait()
    forget_deployments()


def started(prefect, *words):
    """Start the campaign by the command line, as soon as the flows are served."""
    for _ in range(200):
        sent = CliRunner().invoke(app, ["send", *words, "--prefect", prefect, "--no-wait", "--json"])
        if sent.exit_code == 0:
            return json.loads(sent.stdout)["run"]
        time.sleep(0.2)
    raise TimeoutError(sent.stderr)


async def in_state(client, run_id, wanted):
    """Wait for it; what counts as crashed, as when Prefect's server is deaf for a while, is run again."""
    for _ in range(2500):
        run = await client.read_flow_run(run_id)
        if run.state.type is wanted:
            return run
        assert run.state.is_crashed() or not run.state.is_final(), run.state
        await asyncio.sleep(0.1)
    raise TimeoutError(run.state)


async def approved(run_id, name):
    async with get_client() as client:
        paused = await in_state(client, run_id, StateType.PAUSED)
        # As late as a person: Prefect's runner may lose a run that goes on before its process has ended.
        await asyncio.to_thread(wait_until, lambda: not processes_of(run_id))
        await client.resume_flow_run(run_id, run_input={"decision": APPROVE})
        await in_state(client, run_id, StateType.COMPLETED)
        tagged = FlowRunFilter(tags=FlowRunFilterTags(all_=[campaign_run_tag(name)]))
        return paused, await client.read_flow_runs(flow_run_filter=tagged)


@pytest.mark.usefixtures("serving")
def test_a_run_that_waits_for_approval_leaves_its_process_and_goes_on_when_it_is_approved(prefect, fake, tmp_path):
    people = tmp_path / "people.csv"
    people.write_text(f"phone,zone\n{NOW},UTC\n{LATER},Etc/GMT-6\n")
    hours = [time.strftime("%H:%M", time.gmtime(time.time() + seconds)) for seconds in (-3600, 3600)]
    words = ("Served", "--text", "Hello", "--recipients", str(people), "--hours", "-".join(hours))

    run_id = started(prefect, *words, "--zone-column", "zone", "--approval", "--follow-minutes", "0.1")
    paused, waves = asyncio.run(approved(run_id, "Served"))

    assert paused.state.name == "Suspended"
    assert fake.copies == {NOW: 1}
    assert [one.name for one in waves] == ["Served: wave 2"]


def test_a_run_that_waits_for_approval_is_cancelled_with_its_campaign(prefect, fake, serving):
    async def paused(run_id):
        async with get_client() as client:
            await in_state(client, run_id, StateType.PAUSED)

    run_id = started(prefect, "Given up", "--text", "Hello", "--number", NOBODY, "--approval")
    asyncio.run(paused(run_id))
    cancelled = CliRunner().invoke(app, ["cancel", "Given up", "--ledger", serving, "--prefect", prefect, "--json"])

    assert json.loads(cancelled.stdout) == {"campaign": "Given up", "not_sent": 1, "recalled": 0, "runs": 1}
    assert NOBODY not in fake.copies


def test_a_run_that_has_not_begun_is_cancelled_though_the_ledger_does_not_know_it(prefect, tmp_path):
    async def later():
        async with get_client() as client:
            parameters = {"campaign": {"name": "Not begun"}}
            return (await client.create_flow_run(send_campaign, parameters=parameters, state=Scheduled())).id

    async def state(run_id):
        async with get_client() as client:
            return (await client.read_flow_run(run_id)).state.type

    run_id = asyncio.run(later())
    words = ["cancel", "Not begun", "--ledger", f"sqlite:///{tmp_path / 'new.sqlite3'}", "--prefect", prefect, "--json"]
    cancelled = CliRunner().invoke(app, words)
    again = CliRunner().invoke(app, words)

    assert json.loads(cancelled.stdout) == {"campaign": "Not begun", "not_sent": 0, "recalled": 0, "runs": 1}
    assert asyncio.run(state(run_id)) is StateType.CANCELLED
    assert again.exit_code == 1
    assert "Prefect has no run for it that waits to begin." in again.stderr


def test_waves_of_another_campaign_whose_tag_is_the_same_are_left_alone(prefect, tmp_path):
    async def later(name):
        async with get_client() as client:
            parameters = {"campaign": name, "campaign_id": "1", "wave": 2}
            tags = [campaign_run_tag(name)]
            return (await client.create_flow_run(send_wave, parameters=parameters, state=Scheduled(), tags=tags)).id

    async def state(run_id):
        async with get_client() as client:
            return (await client.read_flow_run(run_id)).state.type

    mine, others = asyncio.run(later("Same slug")), asyncio.run(later("Same-Slug"))
    words = ["cancel", "Same slug", "--ledger", f"sqlite:///{tmp_path / 'new.sqlite3'}", "--prefect", prefect, "--json"]
    cancelled = CliRunner().invoke(app, words)

    assert json.loads(cancelled.stdout)["runs"] == 1
    assert asyncio.run(state(mine)) is StateType.CANCELLED
    assert asyncio.run(state(others)) is StateType.SCHEDULED
