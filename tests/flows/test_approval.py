"""A campaign that asks for approval waits, with its preview, until a person decides in Prefect."""

import asyncio
import json

import pytest
from builders import SOCKETS_OF_PREFECT
from flow_facts import artifact_data
from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterName
from prefect.client.schemas.objects import StateType
from prefect.states import Cancelled
from typer.testing import CliRunner

from deployments.campaign_commands import app
from flows.campaign import send_campaign
from flows.parameters import Campaign
from flows.planning.approval import APPROVE, CHANGE, REFUSE

pytestmark = SOCKETS_OF_PREFECT

PEOPLE = [{"phone": "+420 777 000 001", "name": "Ada"}, {"phone": "+420 777 000 002", "name": "Eve"}]


@pytest.fixture(autouse=True)
def own_ledger(monkeypatch, tmp_path, account):  # noqa: ARG001
    monkeypatch.setenv("DOVECOTE_LEDGER", f"sqlite:///{tmp_path / 'ledger.sqlite3'}")
    monkeypatch.setattr("flows.planning.approval.LOOK_EVERY_SECONDS", 0.2)


async def paused_run(client, name):
    for _ in range(300):
        runs = await client.read_flow_runs(flow_run_filter=FlowRunFilter(name=FlowRunFilterName(any_=[name])))
        if runs and runs[0].state.type is StateType.PAUSED:
            return runs[0]
        await asyncio.sleep(0.1)
    raise TimeoutError(name)


async def answer(name, *decisions):
    """What a person does in the form, once for each question."""
    async with get_client() as client:
        for decision in decisions:
            run = await paused_run(client, name)
            await client.resume_flow_run(run.id, run_input=decision)
            while (await client.read_flow_run(run.id)).state.id == run.state.id:  # noqa: ASYNC110
                await asyncio.sleep(0.05)


def decide(name, *decisions):
    async def both():
        campaign = Campaign(name=name, text="Hello {name}", recipients=PEOPLE, quiet_seconds=1, approval=True)
        flow = send_campaign(campaign, return_state=True)
        state, _ = await asyncio.gather(flow, answer(name, *decisions))
        return state

    return asyncio.run(both())


def test_an_approved_campaign_is_sent_as_previewed(fake_provider):
    state = decide("To approve", {"decision": APPROVE})

    assert state.is_completed()
    assert fake_provider.copies == {"420777000001": 1, "420777000002": 1}
    assert "Hello Ada" in artifact_data("campaign-to-approve-preview")


def test_a_refused_campaign_is_cancelled_and_nothing_is_sent(fake_provider):
    state = decide("To refuse", {"decision": REFUSE})

    assert state.is_cancelled()
    assert state.message == "The campaign was refused; nothing was sent."
    assert not fake_provider.copies


def test_a_changed_text_is_previewed_and_asked_about_before_it_is_sent(fake_provider):
    state = decide(
        "To change",
        {"decision": CHANGE, "text": "Ahoj {surname}"},
        {"decision": CHANGE, "text": "Ahoj {name}"},
        {"decision": APPROVE},
    )

    assert state.is_completed()
    assert fake_provider.bodies == {"Ahoj Ada", "Ahoj Eve"}
    assert "Ahoj Ada" in artifact_data("campaign-to-change-preview")


def test_started_again_unchanged_it_goes_on_with_the_text_that_was_approved(fake_provider):
    decide("To go on", {"decision": CHANGE, "text": "Ahoj {name}"}, {"decision": APPROVE})
    campaign = Campaign(name="To go on", text="Hello {name}", recipients=PEOPLE, quiet_seconds=1, approval=True)

    report = asyncio.run(send_campaign(campaign))

    assert report.delivered == 2
    assert fake_provider.bodies == {"Ahoj Ada", "Ahoj Eve"}


def give_up(name, end):
    """Start a campaign, and end it while it waits for an answer; the state of its run."""

    async def both():
        campaign = Campaign(name=name, text="Hello {name}", recipients=PEOPLE, quiet_seconds=1, approval=True)
        flow = asyncio.create_task(send_campaign(campaign, return_state=True))
        async with get_client() as client:
            run = await paused_run(client, name)
            await end(client, run)
        return await asyncio.wait_for(flow, 30)

    return asyncio.run(both())


def test_a_campaign_that_is_cancelled_while_it_waits_ends_its_run(prefect, fake_provider):
    async def cancel(_client, _run):
        words = ["cancel", "To give up", "--prefect", prefect, "--json"]
        told = await asyncio.to_thread(CliRunner().invoke, app, words)
        assert json.loads(told.stdout) == {"campaign": "To give up", "not_sent": 2, "recalled": 0, "runs": 1}

    state = give_up("To give up", cancel)

    assert state.is_cancelled()
    assert not fake_provider.copies


def test_a_campaign_that_is_cancelled_where_prefect_is_not_reached_ends_its_run(fake_provider):
    async def cancel(_client, _run):
        words = ["cancel", "Out of reach", "--prefect", "http://127.0.0.1:9/api"]
        told = await asyncio.to_thread(CliRunner().invoke, app, words)
        assert "cancelled nevertheless" in told.stderr

    state = give_up("Out of reach", cancel)

    assert state.is_cancelled()
    assert state.message == "The campaign was cancelled; what hadn't gone stays unsent."
    assert not fake_provider.copies


def test_a_run_that_is_cancelled_in_prefect_while_it_waits_ends(fake_provider):
    async def cancel(client, run):
        await client.set_flow_run_state(run.id, Cancelled())

    state = give_up("Cancelled run", cancel)

    assert state.is_cancelled()
    assert not fake_provider.copies
