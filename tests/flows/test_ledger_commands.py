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


def test_a_campaign_is_shown_with_its_calls_and_results(ledger, run):
    campaign = plan(ledger, a_plan(4))
    lease = take_lease(ledger, campaign.id, "me")
    batch = claim(lease, outstanding(ledger, campaign.id)[0])
    record(ledger, [(batch, Answer("r", {0: "m0", 1: "m1"}))])
    record_deliveries(ledger, {batch.id: {number(0): Delivery("rejected", "[304] Opted out")}})

    shown = run("show", "Spring sale")

    assert shown.exit_code == 0
    assert "Calls: answered" in shown.output
    assert "Rejected: [304] Opted out" in shown.output


def test_campaigns_are_listed(ledger, run):
    plan(ledger, a_plan(4))

    assert "Spring sale" in run("list").output


def test_an_unknown_campaign_is_one_sentence_and_an_exit_code(ledger, run):
    ledger.close()

    shown = run("show", "Autumn")

    assert shown.exit_code == 1
    assert "no campaign 'Autumn'" in shown.stderr
