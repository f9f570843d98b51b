"""A campaign in waves on a real Prefect server: who is due gets it now, the others by runs of their own, once."""

import asyncio
import datetime as dt
import json
import time

import pytest
from builders import SOCKETS_OF_PREFECT
from flow_facts import events_about, forget_deployments
from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterTags
from prefect.client.schemas.objects import StateType
from prefect.states import Cancelled
from provider import Provider as FakeProvider
from serving import served
from sqlalchemy import update
from typer.testing import CliRunner

from deployments.campaign_commands import app
from flows import ledger
from flows.blocks import MessagingAccount
from flows.campaign import send_campaign, send_wave
from flows.ledger import PlannedWave, open_ledger
from flows.ledger.tables import waves
from flows.parameters import Campaign, LocalHours
from flows.planning.clocks import Clock
from flows.planning.tags import slug
from flows.planning.told_hours import delivery_time_of
from flows.problems import SettingsProblem

pytestmark = SOCKETS_OF_PREFECT

NOW, LATER = "420777000001", "420777000002"
PEOPLE = [{"phone": NOW, "zone": "UTC"}, {"phone": LATER, "zone": "Etc/GMT-6"}]


@pytest.fixture
def fake(prefect, tmp_path, monkeypatch):  # noqa: ARG001
    monkeypatch.setenv("DOVECOTE_LEDGER", f"sqlite:///{tmp_path / 'ledger.sqlite3'}")
    forget_deployments()
    provider = FakeProvider()
    with served(provider.app) as address:
        MessagingAccount(
            api_key="secret-key", messaging_url=f"{address}/v2", rest_url=f"{address}/v1", appears_within_seconds=0
        ).save("waves", overwrite=True)
        yield provider


@pytest.fixture
def deployed(fake):  # noqa: ARG001
    async def deploy():
        return await (await send_wave.ato_deployment("tests")).aapply()

    yield asyncio.run(deploy())
    forget_deployments()


def hours_around_now():
    """An hour to either side of the present, in UTC: at night six hours to the east, or at least not now."""
    now = dt.datetime.now(dt.UTC)
    start, end = now - dt.timedelta(hours=1), now + dt.timedelta(hours=1)
    return LocalHours(start=f"{start:%H:%M}", end=f"{end:%H:%M}", zone_column="zone")


def campaign(name, **parameters):
    chosen = {"text": "Hello", "recipients": PEOPLE, "local_hours": hours_around_now(), "account": "waves"}
    return Campaign(name=name, **{**chosen, "quiet_seconds": 1, **parameters})


def start(wanted):
    return asyncio.run(send_campaign(wanted))


async def runs_of(name):
    async with get_client() as client:
        tagged = FlowRunFilter(tags=FlowRunFilterTags(all_=[f"campaign:{slug(name)}"]))
        return await client.read_flow_runs(flow_run_filter=tagged)


def runs(name):
    return asyncio.run(runs_of(name))


def waves_of(name):
    book = open_ledger()
    try:
        return ledger.read_waves(book, ledger.find_campaign(book, name).id)
    finally:
        book.close()


def move(name, number, opens_at, closes_at):
    """Let time pass: the wave's window is now another."""
    book = open_ledger()
    known = ledger.find_campaign(book, name)
    clocks = next(one for one in ledger.read_waves(book, known.id) if one.number == number).planned.clocks
    ledger.move_wave(book, known.id, PlannedWave(number, opens_at, closes_at, clocks))
    book.close()


def set_clocks(name, number, clocks):
    book = open_ledger()
    mine = (waves.c.campaign_id == ledger.find_campaign(book, name).id) & (waves.c.number == number)
    with book.write() as connection:
        connection.execute(update(waves).where(mine).values(clocks=clocks))
    book.close()


def sent_to(fake):
    return [one.phone_number for one in fake.sent]


@pytest.mark.usefixtures("deployed")
def test_who_is_due_gets_it_now_and_a_run_is_scheduled_for_the_others(fake):
    wanted = campaign("In waves")

    report = start(wanted)
    start(wanted)

    (run,) = runs("In waves")
    assert sent_to(fake) == [NOW]
    assert (report.delivered, report.planned) == (1, 1)
    assert (run.name, run.state.type) == ("In waves: wave 2", StateType.SCHEDULED)
    assert run.expected_start_time.timestamp() == waves_of("In waves")[1].planned.opens_at


@pytest.mark.usefixtures("deployed")
def test_the_provider_is_told_each_recipients_hours(fake):
    wanted = campaign("Told")

    start(wanted)

    assert fake.sent[0].delivery_time == {
        "days": [day.value for day in wanted.local_hours.days],
        "start": wanted.local_hours.start,
        "end": wanted.local_hours.end,
        "tz": "UTC",
    }


@pytest.mark.usefixtures("deployed")
def test_a_waves_run_sends_to_its_people_and_the_last_one_finishes_the_campaign(fake, prefect):
    start(campaign("To the end"))
    (run,) = runs("To the end")
    move("To the end", 2, time.time(), time.time() + 3600)

    report = asyncio.run(send_wave(**run.parameters))
    again = asyncio.run(send_wave(**run.parameters))

    assert sent_to(fake) == [NOW, LATER]
    assert (report.delivered, report.planned) == (2, 0)
    assert again == report
    told = events_about(prefect, f"dovecote.campaign.{report.campaign_id}", 3)
    assert {one["event"] for one in told} == {"dovecote.campaign.finished", "dovecote.campaign.wave-sent"}


@pytest.mark.usefixtures("deployed")
def test_a_waves_run_that_somebody_starts_early_sends_nothing_and_leaves_it_to_a_run_in_time(fake):
    start(campaign("Early"))
    (run,) = runs("Early")

    asyncio.run(send_wave(**run.parameters))

    assert sent_to(fake) == [NOW]
    assert [one.expected_start_time for one in runs("Early")] == [run.expected_start_time]


@pytest.mark.usefixtures("deployed")
def test_a_waves_run_that_comes_too_late_leaves_it_to_one_in_the_next_hours(fake):
    start(campaign("Late"))
    (run,) = runs("Late")
    before = waves_of("Late")[1].planned.opens_at
    move("Late", 2, time.time() - 7200, time.time() - 1)

    asyncio.run(send_wave(**run.parameters))

    assert sent_to(fake) == [NOW]
    assert waves_of("Late")[1].planned.opens_at == before
    assert StateType.SCHEDULED in [one.state.type for one in runs("Late")]


@pytest.mark.usefixtures("deployed")
def test_a_wave_of_several_zones_that_comes_too_late_is_told_with_the_hours_of_its_new_time(fake):
    wanted = campaign("Told anew")
    start(wanted)
    (run,) = runs("Told anew")
    clock = Clock(("Etc/GMT-6", "Etc/GMT-7"))
    set_clocks("Told anew", 2, [clock.as_stored()])
    move("Told anew", 2, time.time() - 7200, time.time() - 1)

    asyncio.run(send_wave(**run.parameters))
    opens_at = waves_of("Told anew")[1].planned.opens_at
    move("Told anew", 2, time.time(), time.time() + 3600)
    asyncio.run(send_wave(**run.parameters))

    told = {one.phone_number: one.delivery_time for one in fake.sent}
    assert told[NOW]["tz"] == "UTC"
    assert told[LATER] == delivery_time_of(clock, wanted.local_hours.as_hours(), opens_at)


@pytest.mark.usefixtures("deployed")
def test_a_wave_that_a_person_cancelled_in_prefect_stays_unsent(fake):
    wanted = campaign("Cancelled wave")
    start(wanted)
    (run,) = runs("Cancelled wave")

    async def cancel():
        async with get_client() as client:
            await client.set_flow_run_state(run.id, Cancelled())

    asyncio.run(cancel())
    move("Cancelled wave", 2, time.time(), time.time() + 3600)
    report = start(wanted)

    assert sent_to(fake) == [NOW]
    assert report.planned == 1


def test_where_nothing_would_send_the_waves_nothing_is_sent(fake):
    with pytest.raises(SettingsProblem, match="no deployment of the flow 'send-wave'"):
        start(campaign("Not deployed"))

    assert not fake.sent


@pytest.mark.usefixtures("deployed")
def test_a_campaign_that_was_cancelled_sends_no_wave_and_its_runs_are_cancelled(fake, prefect):
    start(campaign("Stopped"))
    (run,) = runs("Stopped")

    cancelled = CliRunner().invoke(app, ["cancel", "Stopped", "--prefect", prefect, "--json"])
    early = asyncio.run(send_wave(**run.parameters, return_state=True))
    move("Stopped", 2, time.time(), time.time() + 3600)
    in_time = asyncio.run(send_wave(**run.parameters, return_state=True))

    assert json.loads(cancelled.stdout) == {"campaign": "Stopped", "not_sent": 1, "recalled": 0, "runs": 1}
    assert [one.state.type for one in runs("Stopped")] == [StateType.CANCELLED]
    assert early.is_cancelled()
    assert in_time.is_cancelled()
    assert sent_to(fake) == [NOW]
