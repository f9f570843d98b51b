"""Cancel in Prefect's UI on a run of send-campaign, wherever flows run: it stops what hasn't gone of the campaign."""

import asyncio
import os
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from builders import SOCKETS_OF_PREFECT
from flow_facts import forget_deployments
from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterTags, LogFilter, LogFilterFlowRunId
from prefect.client.schemas.objects import FlowRun, StateType
from prefect.states import Cancelling, Running
from provider import Provider
from serving import served
from work_pools import deploy, in_the_client, new_pool, wait_until, worker_of

from flows import ledger
from flows.blocks import LedgerDatabase, MessagingAccount
from flows.campaign import send_campaign
from flows.cancelling import cancel_campaign
from flows.parameters import Campaign
from flows.planning.preparing import Asked, prepare
from flows.planning.tags import campaign_run_tag
from flows.provider import Provider as Messaging
from flows.recipients.sources import read_inline
from flows.sending.dispatch import send_batches
from flows.sending.outbox import Outbox
from interface.client import Addresses, AsyncMessagingClient
from interface.errors import OutcomeUnknown

pytestmark = [SOCKETS_OF_PREFECT, pytest.mark.timeout(500)]

CAMPAIGN = "flows.campaign.send_campaign"
NOW, LATER = "420777000001", "420777000002"


@dataclass
class Place:
    """Where flows run, and what they send through."""

    provider: Provider
    address: str
    server: str
    folder: Path
    processes: list[subprocess.Popen] = field(default_factory=list)

    @property
    def ledger(self) -> str:
        return f"sqlite:///{self.folder / 'ledger.sqlite3'}"

    def run(self, *command: str, **environment: str) -> None:
        """Start a program with the server and the ledger."""
        surroundings = {**os.environ, "PREFECT_API_URL": self.server, "DOVECOTE_LEDGER": self.ledger, **environment}
        with (self.folder / "program.log").open("a") as log:
            started = subprocess.Popen([sys.executable, "-m", *command], env=surroundings, stdout=log, stderr=log)
        self.processes.append(started)

    def started(self, name: str, deployment: str) -> FlowRun:
        """Start a campaign whose first recipient's message waits at the provider, and whose second has a later hour."""
        hours = [time.strftime("%H:%M", time.gmtime(time.time() + seconds)) for seconds in (-3600, 3600)]
        wanted = {
            "name": name,
            "text": "Hello",
            "recipients": [{"phone": NOW, "zone": "UTC"}, {"phone": LATER, "zone": "Etc/GMT-6"}],
            "follow_minutes": 5,
            "local_hours": {"start": hours[0], "end": hours[1], "zone_column": "zone"},
        }
        chosen = wait_until(lambda: in_the_client(lambda client: deployed(client, deployment)))
        given = {"campaign": wanted}
        return in_the_client(lambda client: client.create_flow_run_from_deployment(chosen.id, parameters=given))

    def is_cancelled(self, name: str) -> bool:
        return self._in_ledger(name)[0]

    def results(self, name: str) -> dict[str, int]:
        return self._in_ledger(name)[1]

    def _in_ledger(self, name: str) -> tuple[bool, dict[str, int]]:
        book = ledger.open_ledger(self.ledger)
        try:
            found = ledger.find_campaign(book, name)
            return (found.cancelled_at is not None, ledger.totals(book, found.id).by_result) if found else (False, {})
        finally:
            book.close()


async def deployed(client, name):
    found = await client.read_deployments()
    return next((one for one in found if (one.entrypoint, one.name) == (CAMPAIGN, name)), None)


def state_of(run):
    return in_the_client(lambda client: client.read_flow_run(run.id)).state


def logged(run):
    of_run = LogFilter(flow_run_id=LogFilterFlowRunId(any_=[run.id]))
    return [one.message for one in in_the_client(lambda client: client.read_logs(of_run))]


def waves_of(name):
    tagged = FlowRunFilter(tags=FlowRunFilterTags(all_=[campaign_run_tag(name)]))
    return [one.state.type for one in in_the_client(lambda client: client.read_flow_runs(flow_run_filter=tagged))]


@pytest.fixture(scope="module")
def pool(prefect_server):
    """A pool to which all flows are deployed."""
    forget_deployments()
    with new_pool() as name:
        assert deploy(prefect_server, name).returncode == 0
        yield name
    forget_deployments()


@pytest.fixture
def place(prefect, tmp_path):
    provider = Provider(waiting=frozenset({NOW}))
    with served(provider.app) as address:
        urls = {"messaging_url": f"{address}/v2", "rest_url": f"{address}/v1"}
        book = LedgerDatabase(address=f"sqlite:///{tmp_path / 'ledger.sqlite3'}")
        account = MessagingAccount(api_key="secret-key", appears_within_seconds=0, ledger=book, **urls)
        account.save("main", overwrite=True)
        made = Place(provider, address, prefect, tmp_path)
        yield made
        for each in made.processes:
            each.kill()
            each.wait()


@contextmanager
def on_one_machine(place, _):
    """As `dovecote up` runs them."""
    place.run(
        "deployments.serve_flows",
        PREFECT_RUNNER_POLL_FREQUENCY="1",
        DOVECOTE_ADDRESS=place.address,
        DOVECOTE_API_KEY="secret-key",
        DOVECOTE_FLOW_SCHEDULES="off",
    )
    yield place.started("On one machine", "this-machine")


@contextmanager
def by_a_worker(place, pool):
    with worker_of(pool, place.server, place.folder):
        yield place.started("By a worker", "dovecote")


@pytest.mark.parametrize("where", [on_one_machine, by_a_worker])
def test_it_stops_what_has_not_gone_and_takes_back_what_waits_at_the_provider(place, pool, where):
    with where(place, pool) as run:
        name = run.parameters["campaign"]["name"]
        wait_until(lambda: place.results(name) == {"accepted": 1, "planned": 1} and waves_of(name))

        in_the_client(lambda client: client.set_flow_run_state(run.id, Cancelling()))
        wait_until(lambda: state_of(run).is_final())
        wait_until(lambda: "1 people are taken back from the provider." in logged(run))

    assert state_of(run).is_cancelled()
    assert place.is_cancelled(name)
    assert place.results(name) == {"cancelled": 1, "planned": 1}
    assert waves_of(name) == [StateType.CANCELLED]


def asked(name, **parameters):
    hours = {"start": "00:00", "end": "24:00"}
    return {"name": name, "text": "Hello", "recipients": [NOW], "delivery_time": hours, **parameters}


def with_lost_answer(place, parameters):
    """Plan a campaign, and send it in a run that ends before it knows what became of its call."""
    wanted = Campaign.model_validate(parameters)
    book = ledger.open_ledger(place.ledger)
    table = read_inline(wanted.recipients, "phone_number")
    planned = ledger.plan(book, prepare(wanted, table, book.now(), Asked.of(wanted)).plan)
    place.provider.faults.append("lose answer")

    async def send():
        async with AsyncMessagingClient("secret-key", Addresses.of(place.address)) as client:
            lease = ledger.take_lease(book, planned.id, "ended", 0.1)
            await send_batches(Outbox(lease, planned.settings, Messaging(client)), ledger.outstanding(book, planned.id))

    with pytest.raises(OutcomeUnknown):
        asyncio.run(send())
    book.close()


def tell_of_its_end(parameters, state):
    """Call the hook as Prefect does, for a run in this state."""

    async def call(client):
        run = await client.create_flow_run(send_campaign, parameters={"campaign": parameters}, state=Running())
        await client.set_flow_run_state(run.id, state, force=True)
        await cancel_campaign(flow=send_campaign, flow_run=run, state=state)

    in_the_client(call)


def test_a_call_whose_answer_the_ended_run_did_not_get_is_found_and_taken_back(place):
    with_lost_answer(place, asked("Lost answer"))

    tell_of_its_end(asked("Lost answer"), Cancelling())

    assert place.results("Lost answer") == {"cancelled": 1}


def test_a_runner_that_is_stopped_cancels_no_campaign(place):
    with_lost_answer(place, asked("Runner stopped"))

    tell_of_its_end(asked("Runner stopped"), Running())

    assert not place.is_cancelled("Runner stopped")


def test_a_run_with_other_content_leaves_the_campaign_of_its_name_alone(place):
    with_lost_answer(place, asked("Other content"))

    tell_of_its_end(asked("Other content", text="Another"), Cancelling())

    assert not place.is_cancelled("Other content")


def test_a_run_that_is_still_reading_has_nothing_to_cancel(place):
    tell_of_its_end(asked("Reading"), Cancelling())

    assert not place.is_cancelled("Reading")
