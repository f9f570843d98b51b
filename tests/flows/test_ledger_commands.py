import json
from datetime import UTC, datetime

import pytest
from builders import a_plan, claim, number
from typer.testing import CliRunner

from flows.commands import app
from flows.ledger import Answer, Delivery, outstanding, plan, record, record_deliveries, take_lease


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
