"""The automations of a real Prefect server tell people of runs, and of what flows tell: by e-mail, a webhook, Slack."""

import asyncio
import datetime as dt
import uuid

import pytest
from builders import SOCKETS_OF_PREFECT
from operations import NOTICE_HANGING, RUN_AGAIN, automations_that_tell, hurry, mail_about, told_by_mail
from prefect import tags
from prefect.blocks.notifications import CustomWebhookNotificationBlock, SlackWebhook
from prefect.client.orchestration import get_client
from prefect.events import Event
from prefect.states import Completed, Crashed, Paused, Pending, Running, Scheduled, Suspended
from serving import served
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
from work_pools import wait_until

from flows import events
from flows.credit import CreditWatch, watch_credit
from flows.problems import FlowProblem
from flows.reports.statistics import RateDrop
from flows.tasks.statistics import DROPPED

pytestmark = [SOCKETS_OF_PREFECT, pytest.mark.timeout(400)]


@pytest.fixture
def mails(prefect):  # noqa: ARG001  (where the automations are)
    with told_by_mail() as server:
        yield server


def test_a_failed_run_is_told_with_what_to_do(mails):
    with tags("dovecote"), pytest.raises(FlowProblem):
        asyncio.run(watch_credit(CreditWatch(account="nobody")))

    told = mail_about(mails, "watch-credit failed")

    assert "There is no block 'Messaging Account' of the name 'nobody'" in told


class Receiver:
    """Takes webhooks."""

    def __init__(self):
        self.taken = []

    @property
    def app(self):
        return Starlette(routes=[Route("/{path:path}", self.take, methods=["POST"])])

    async def take(self, request):
        self.taken.append((request.url.path, await request.json()))
        return Response()


def test_a_webhook_is_told_as_well(prefect):  # noqa: ARG001
    receiver, name = Receiver(), f"operations-{uuid.uuid4().hex[:6]}"
    with served(receiver.app) as address:
        CustomWebhookNotificationBlock(
            name="Operations", url=f"{address}/alerts", json_data={"title": "{{subject}}", "text": "{{body}}"}
        ).save(name)
        with automations_that_tell([f"custom-webhook/{name}"]):
            with tags("dovecote"), pytest.raises(FlowProblem):
                asyncio.run(watch_credit(CreditWatch(account="nobody")))
            wait_until(lambda: receiver.taken)

    ((path, told),) = receiver.taken
    assert path == "/alerts"
    assert told["title"] == "watch-credit failed"
    assert "There is no block 'Messaging Account' of the name 'nobody'" in told["text"]


@pytest.mark.filterwarnings("ignore:'imghdr' is deprecated:DeprecationWarning")  # Prefect's way to Slack uses it
def test_slack_is_told_where_its_webhook_is(requests_mock):
    webhook = "https://hooks.slack.com/services/T1A2B3C4D/B1A2B3C4D/abcdefghijklmnopqrstuvwx"
    posted = requests_mock.post(webhook, text="ok")

    SlackWebhook(url=webhook).notify("ivory-uakari: status 401", "watch-credit failed")

    (told,) = posted.last_request.json()["attachments"]
    assert (told["title"], told["text"]) == ("watch-credit failed", "ivory-uakari: status 401")


async def start_a_run(begins_after=0):
    """A run of a deployment, which no process takes."""
    begins = Scheduled(scheduled_time=dt.datetime.now(dt.UTC) + dt.timedelta(seconds=begins_after))
    deployment = await watch_credit.ato_deployment(f"crashing-{uuid.uuid4().hex[:6]}", tags=["dovecote", "run-again"])
    deployment_id = await deployment.aapply()
    async with get_client() as client:
        return (await client.create_flow_run_from_deployment(deployment_id, state=begins)).id


async def crash(run_id):
    """What the server hears of a process that began and was killed: twice that it crashed."""
    async with get_client() as client:
        for state in (Pending(), Running(), Crashed(), Crashed()):
            await client.set_flow_run_state(run_id, state, force=True)


async def state_that_is(run_id, name):
    async with get_client() as client:
        for _ in range(900):
            state = (await client.read_flow_run(run_id)).state
            if state.name == name:
                return
            await asyncio.sleep(0.1)
    raise TimeoutError(state)


async def crash_again_and_again():
    await hurry(RUN_AGAIN)
    run_id = await start_a_run()
    for _ in range(2):
        await crash(run_id)
        await state_that_is(run_id, "RunAgain")
    await crash(run_id)
    await state_that_is(run_id, "Cancelled")
    await asyncio.sleep(15)  # it would have been run again by now
    async with get_client() as client:
        return (await client.read_flow_run(run_id)).state


def test_a_run_that_crashed_three_times_is_cancelled_for_good_and_told(mails):
    state = asyncio.run(crash_again_and_again())

    assert state.name == "Cancelled"
    assert "crashed three times in an hour and was cancelled" in mail_about(mails, "watch-credit crashed again")


async def beat(run_id):
    """What the server hears of a process that is at work."""
    async with get_client() as client:
        run = await client.read_flow_run(run_id)
    related = [{"prefect.resource.id": "prefect.tag.dovecote", "prefect.resource.role": "tag"}]
    resource = {"prefect.resource.id": f"prefect.flow-run.{run_id}", "prefect.resource.name": run.name}
    await events.tell([Event(event="prefect.flow-run.heartbeat", resource=resource, related=related)])


async def hang_and_end():
    """One run falls silent after a beat; the beat of another comes after its end. Return the states of both."""
    await hurry(NOTICE_HANGING)
    hanging, ended = await start_a_run(), await start_a_run()
    async with get_client() as client:
        for run_id, states in ((ended, (Pending(), Running(), Completed())), (hanging, (Pending(), Running()))):
            for state in states:
                await client.set_flow_run_state(run_id, state, force=True)
    await beat(ended)
    await beat(hanging)
    await state_that_is(hanging, "Crashed")
    await asyncio.sleep(5)  # its alarm would have come, too
    async with get_client() as client:
        return [await client.read_flow_run(run_id) for run_id in (hanging, ended)]


def test_a_run_that_falls_silent_counts_as_crashed_and_is_told_and_one_that_ended_is_not(mails):
    hanging, ended = asyncio.run(hang_and_end())

    assert f"{hanging.name} counts as crashed" in mail_about(mails, "watch-credit was not heard of for 90 seconds")
    assert ended.state.name == "Completed"
    assert [mail["Subject"] for mail in mails.mails] == ["watch-credit was not heard of for 90 seconds"]


@pytest.mark.usefixtures("own_prefect")  # that of the other tests doesn't look for what is late
def test_a_run_that_nobody_takes_is_told():
    with told_by_mail() as mails:
        asyncio.run(start_a_run(begins_after=-60))

        assert " should have begun: " in mail_about(mails, "watch-credit waits for a worker")


async def ask_a_person(waiting):
    """What the server hears of a run that waits for an answer; return the run's name."""
    run_id = await start_a_run()
    async with get_client() as client:
        for state in (Pending(), Running(), waiting):
            await client.set_flow_run_state(run_id, state, force=True)
        return (await client.read_flow_run(run_id)).name


def test_a_run_that_waits_for_a_person_is_told_whether_its_process_waits_or_has_left(mails):
    for waiting in (Paused(timeout_seconds=3600), Suspended(timeout_seconds=3600)):
        name = asyncio.run(ask_a_person(waiting))

        assert "Look at it and answer: " in mail_about(mails, f"{name} waits for you")


FELL = RateDrop(
    account="main",
    sub_account="default",
    kind="tag",
    subject="parcels",
    date=dt.date(2026, 3, 1),
    messages=200,
    rate=0.7,
    usual=0.9512,
    lowest_likely=0.905,
    chance=0.0001,
)


def test_what_flows_tell_is_mailed_in_words(mails):
    topup = {"account_number": "1", "account_bank": "0800", "iban": "CZ65", "vs": "77"}
    low = {"account": "main", "amount": "12.00", "currency": "CZK", "days_left": 1.5, "level": "critical"}
    odd = {"stuck": 1, "missing": 2, "unknown": 3, "in_doubt": 4, "planned_again": 5, "account": "main"}
    told = [
        events.event("dovecote.credit.critical", "dovecote.account.main", "main", {**low, "topup": topup}),
        events.event("dovecote.deliveries.differ", "dovecote.account.main", "main", odd),
        events.event("dovecote.template.rejected", "dovecote.account.main", "main", {"template": "parcel"}),
        events.event(DROPPED, "dovecote.delivery-rate.main", "main", FELL.model_dump(mode="json")),
    ]

    asyncio.run(events.tell(told))

    assert "12.00 CZK left, for 1.5 days. Pay to CZ65, payment symbol 77." in mail_about(
        mails, "Credit of main: critical"
    )
    assert "1 messages stuck, 2 missing, 3 unknown" in mail_about(mails, "Ledger and provider differ: main")
    assert "parcel of main may not be sent." in mail_about(mails, "rejected a template")
    assert (
        "70.0 % of 200 messages of 2026-03-01 were delivered; usual are 95.1 %, likely at least 90.5 %. "
        "Account main, sub-account default."
    ) in mail_about(mails, "The delivery rate of tag parcels fell")
