import json
import re
from datetime import UTC, datetime

import pytest
from builders import a_plan, claim, number
from typer.testing import CliRunner

from flows.commands import app
from flows.ledger import Answer, Delivery, outstanding, plan, record, record_deliveries, take_lease
from flows.ledger.listing import listed_batches, listed_recipients


@pytest.fixture
def run(ledger_address):
    def invoke(*arguments):
        return CliRunner().invoke(app, [*arguments, "--ledger", ledger_address])

    return invoke


@pytest.fixture
def campaign(ledger):
    campaign = plan(ledger, a_plan(4))
    lease = take_lease(ledger, campaign.id, "me")
    batch = claim(lease, outstanding(ledger, campaign.id)[0])
    record(ledger, [(batch, Answer("r", {0: "m0", 1: "m1"}))])
    record_deliveries(ledger, {batch.id: {number(0): Delivery("rejected", "[304] Opted out")}})
    return campaign


@pytest.mark.usefixtures("campaign")
def test_a_campaign_is_shown_with_its_calls_and_results(run):
    shown = run("show", "Spring sale")

    assert shown.exit_code == 0
    assert "Calls: answered" in shown.output
    assert "Rejected: [304] Opted out" in shown.output


def test_campaigns_are_listed(ledger, run):
    plan(ledger, a_plan(4))

    assert "Spring sale" in run("list").output


def test_a_campaign_is_shown_as_json(campaign, run):
    shown = json.loads(run("show", "Spring sale", "--json").stdout)

    assert shown == {
        "campaign": "Spring sale",
        "planned_at": written(campaign.created_at),
        "calls": {"answered": 1, "planned": 1},
        "recipients": {"accepted": 1, "planned": 2, "rejected": 1},
        "rejected": {"[304] Opted out": 1},
    }


@pytest.mark.usefixtures("campaign")
def test_each_batch_is_shown_with_its_state_and_its_tag(run):
    header, answered, planned = run("show", "Spring sale", "--batches").output.splitlines()

    assert header.split() == ["State", "Wave", "Way", "Recipients", "Attempts", "Claimed", "(UTC)", "Tag"]
    assert answered.split()[:5] == ["answered", "1", "calls", "2", "1"]
    assert re.search(r"2027-01-15 08:00:00  c-spring-sale-[0-9a-f]{8}-b0001$", answered)
    assert planned.split()[:5] == ["planned", "1", "calls", "2", "0"]


@pytest.mark.usefixtures("campaign")
def test_each_recipient_is_shown_with_its_result(run):
    header, *people = run("show", "Spring sale", "--recipients").output.splitlines()

    assert header.split() == ["Number", "Line", "Wave", "Result", "Call", "Message,", "reason"]
    assert [" ".join(one.split()) for one in people] == [
        f"{number(0)} 2 1 rejected answered m0-0 [304] Opted out",
        f"{number(1)} 3 1 accepted answered m1-0",
        f"{number(2)} 4 1 planned planned",
        f"{number(3)} 5 1 planned planned",
    ]


def test_a_reason_breaks_no_line_and_commands_no_terminal(ledger, campaign, run):
    reason = "Bad\nnumber\x1b[2J"
    record_deliveries(ledger, {f"{campaign.id}-b0001": {number(1): Delivery("failed", reason)}})

    (_, line) = run("show", "Spring sale", "--recipients", "--state", "failed").output.splitlines()

    assert line.endswith("m1-0  Bad number [2J")


@pytest.mark.usefixtures("campaign")
@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (["--recipients", "--state", "planned"], [number(2), number(3)]),
        (["--recipients", "--state", "delivered"], []),
    ],
)
def test_only_those_in_one_state_are_shown(run, words, shown):
    lines = run("show", "Spring sale", *words, "--json").stdout.splitlines()

    assert [json.loads(line)["phone_number"] for line in lines] == shown


def test_each_is_a_json_object_of_its_own(campaign, run):
    (batch,) = run("show", "Spring sale", "--batches", "--state", "answered", "--json").stdout.splitlines()
    (person,) = run("show", "Spring sale", "--recipients", "--state", "rejected", "--json").stdout.splitlines()

    assert json.loads(batch) == {
        "batch": f"{campaign.id}-b0001",
        "wave": 1,
        "way": "calls",
        "state": "answered",
        "recipients": 2,
        "attempts": 1,
        "claimed_at": "2027-01-15T08:00:00+00:00",
        "answered_at": "2027-01-15T08:00:00+00:00",
        "request_id": "r",
        "tag": f"c-spring-sale-{campaign.id[:8]}-b0001,promotional",
        "doubt": None,
    }
    assert json.loads(person) == {
        "phone_number": number(0),
        "line": 2,
        "wave": 1,
        "batch": f"{campaign.id}-b0001",
        "batch_state": "answered",
        "result": "rejected",
        "message_id": "m0-0",
        "reason": "[304] Opted out",
        "parts": 0,
        "price_czk": "0.000000",
        "price_eur": "0.000000",
        "updated_at": "2027-01-15T08:00:00+00:00",
    }


@pytest.mark.parametrize("page", [1, 2, 3, 4, 5])
def test_whatever_fits_on_a_page_everybody_is_shown_once(ledger, campaign, monkeypatch, page):
    monkeypatch.setattr("flows.ledger.listing.PAGE", page)

    people = [one.phone_number for one in listed_recipients(ledger, campaign.id)]
    states = [one.state for one in listed_batches(ledger, campaign.id)]

    assert people == [number(0), number(1), number(2), number(3)]
    assert states == ["answered", "planned"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--state", "planned"], "Say of what: --batches or --recipients."),
        (["--batches", "--recipients"], "Give one of them."),
        (["--batches", "--state", "delivered"], "There are planned, claimed, in_doubt, answered."),
    ],
)
def test_a_listing_that_cannot_be_is_wrong_usage(ledger, run, words, sentence):
    ledger.close()

    shown = run("show", "Spring sale", *words)

    assert shown.exit_code == 2
    assert sentence in " ".join(shown.stderr.split())


def test_campaigns_are_listed_as_json(campaign, run):
    assert json.loads(run("list", "--json").stdout) == [
        {
            "campaign": "Spring sale",
            "planned_at": written(campaign.created_at),
            "recipients": 4,
            "waiting": 3,
            "delivered": 0,
        }
    ]


def test_an_empty_ledger_is_an_empty_list(ledger, run):
    ledger.close()

    assert json.loads(run("list", "--json").stdout) == []


def test_an_unknown_campaign_is_one_sentence_and_an_exit_code(ledger, run):
    ledger.close()

    shown = run("show", "Autumn")

    assert shown.exit_code == 1
    assert "no campaign 'Autumn'" in shown.stderr


def written(seconds):
    return datetime.fromtimestamp(round(seconds), UTC).isoformat().replace("+00:00", "Z")
