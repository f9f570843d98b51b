"""The flow ``send_campaign`` on a real Prefect server, against a provider over HTTP."""

import asyncio
import json

import httpx
import pytest
from builders import SOCKETS_OF_PREFECT
from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import (
    ArtifactFilter,
    ArtifactFilterKey,
    FlowRunFilter,
    FlowRunFilterName,
    TaskRunFilter,
    TaskRunFilterName,
)
from provider_program import provider_program
from pydantic import ValidationError

from flows.blocks import MessagingAccount
from flows.campaign import send_campaign
from flows.parameters import Campaign
from flows.problems import FlowProblem

pytestmark = SOCKETS_OF_PREFECT

PEOPLE = [
    {"phone": "+420 777 000 001", "name": "Ada"},
    {"phone": "00420777000002", "name": "Eve"},
    {"phone": "777 000 002", "name": "Eve again"},
    {"phone": "not a number", "name": "Bob"},
    {"phone": "+43 664 1239001", "name": "Cyd"},
]


@pytest.fixture(autouse=True)
def own_ledger(monkeypatch, tmp_path, account):  # noqa: ARG001
    monkeypatch.setenv("DOVECOTE_LEDGER", f"sqlite:///{tmp_path / 'ledger.sqlite3'}")


def run(**parameters):
    wanted = {"name": "Spring", "text": "Hello {name}", "recipients": PEOPLE, "quiet_seconds": 1, **parameters}
    return asyncio.run(send_campaign(Campaign(**wanted)))


async def artifact(key):
    async with get_client() as client:
        found = await client.read_artifacts(artifact_filter=ArtifactFilter(key=ArtifactFilterKey(any_=[key])))
    return found[0]


async def event_of(server, resource):
    wanted = {"filter": {"any_resource": {"id": [resource]}}}
    async with httpx.AsyncClient(timeout=30) as client:
        for _ in range(600):
            found = (await client.post(f"{server}/events/filter", json=wanted)).json()["events"]
            if found:
                return found[0]
            await asyncio.sleep(0.1)
    raise TimeoutError(resource)


async def attempts_of(task, flow_run):
    async with get_client() as client:
        runs = await client.read_task_runs(
            flow_run_filter=FlowRunFilter(name=FlowRunFilterName(any_=[flow_run])),
            task_run_filter=TaskRunFilter(name=TaskRunFilterName(like_=task)),
        )
    return sum(each.run_count for each in runs)


def test_a_campaign_reaches_everybody_once_and_is_reported(fake_provider):
    report = run()

    assert fake_provider.copies == {"420777000001": 1, "420777000002": 1, "436641239001": 1}
    assert (report.lines, report.malformed, report.duplicates, report.recipients) == (5, 1, 1, 3)
    assert (report.accepted, report.delivered, report.undelivered, report.waiting) == (3, 2, 1, 0)
    assert (report.parts, report.price_czk, report.price_eur) == (3, "2.70", "0.11")


def test_started_again_it_sends_nothing_and_reports_the_same():
    first = run()

    again = run()

    assert again == first


def test_progress_table_and_summary_are_artifacts():
    run(name="With artifacts")

    progress = asyncio.run(artifact("campaign-with-artifacts-progress"))
    table = json.loads(asyncio.run(artifact("campaign-with-artifacts-results")).data)
    summary = asyncio.run(artifact("campaign-with-artifacts-summary")).data
    assert float(progress.data) == 100.0
    assert progress.description == "With artifacts: 3 of 3 gone, 2 delivered, 1 undelivered"
    assert {"what": "Delivered", "figure": 2} in table
    assert "| 4 | The phone number contains letters. |" in summary
    assert "777000001" not in summary


def test_the_end_is_told_as_an_event_with_the_figures(prefect):
    report = run(name="Told")

    told = asyncio.run(event_of(prefect, f"dovecote.campaign.{report.campaign_id}"))

    assert told["event"] == "dovecote.campaign.finished"
    assert told["payload"] == report.model_dump(mode="json")


def test_other_content_under_the_same_name_is_refused(fake_provider):
    run()

    with pytest.raises(FlowProblem, match="another name"):
        run(text="Good-bye {name}")
    assert fake_provider.copies.total() == 3


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"text": "Hello {surname}"}, r"\{surname\}.*available: name, phone"),
        ({"recipients": [], "recipients_file": "nowhere.csv"}, "There is no file nowhere.csv"),
        ({"account": "nobody"}, "no block 'Messaging Account' of the name 'nobody'"),
        ({"sender": "far too long for a sender"}, "The sender cannot be used"),
        ({"callback": "ftp://example.com"}, "The callback cannot be used"),
    ],
)
def test_what_cannot_work_is_one_sentence_before_anything_is_sent(fake_provider, parameters, sentence):
    with pytest.raises(FlowProblem, match=sentence):
        run(**parameters)

    assert not fake_provider.copies


def test_a_throttled_and_failing_provider_is_tried_again_by_the_task(tmp_path):
    faults = {"PROVIDER_FAULTS": "throttle,unavailable,fail after accepting"}
    with provider_program(tmp_path / "log", faults) as provider:
        MessagingAccount(
            api_key="secret-key",
            messaging_url=f"{provider.address}/v2",
            rest_url=f"{provider.address}/v1",
            appears_within_seconds=0,
        ).save("failing", overwrite=True)

        report = run(name="Failing", account="failing")

        assert provider.copies == {"420777000001": 1, "420777000002": 1, "436641239001": 1}
    assert report.waiting == 0
    assert asyncio.run(attempts_of("send-batches", "Failing")) == 3


@pytest.mark.parametrize("honours", [True, False], ids=["honours keys", "knows no keys"])
def test_in_a_burst_of_refusals_failures_and_lost_answers_everybody_gets_one_message(tmp_path, honours):
    burst = ["throttle", "unavailable", "lose answer", "fail after accepting"] * 3
    settings = {"PROVIDER_FAULTS": ",".join(burst), "PROVIDER_HONOURS_KEY": str(int(honours))}
    people = [{"phone": f"420777{index:06}", "name": f"P{index}"} for index in range(200)]
    with provider_program(tmp_path / "log", settings) as provider:
        MessagingAccount(
            api_key="secret-key",
            messaging_url=f"{provider.address}/v2",
            rest_url=f"{provider.address}/v1",
            honours_idempotency_key=honours,
            appears_within_seconds=0,
        ).save("burst", overwrite=True)

        report = run(name=f"Burst {honours}", account="burst", recipients=people)

        assert provider.copies == {one["phone"]: 1 for one in people}
    assert (report.accepted, report.delivered, report.waiting) == (200, 200, 0)


def test_recipients_come_from_one_place():
    with pytest.raises(ValidationError, match="the recipients once"):
        Campaign(name="x", text="y")


def test_the_key_and_full_numbers_are_never_logged(caplog):
    caplog.set_level("DEBUG")

    run(name="Quiet")

    assert "secret-key" not in caplog.text
    assert "777000001" not in caplog.text
