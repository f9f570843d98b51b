"""The flow ``reconcile_deliveries`` on a real Prefect server: what the ledger believes, what the provider says."""

import asyncio
import time
import uuid

import pytest
from builders import SOCKETS_OF_PREFECT, a_plan, number
from flow_facts import artifact_data, events_about, table_of
from provider import Provider as FakeProvider
from provider import Sent
from serving import served
from sqlalchemy import update

from flows.blocks import MessagingAccount
from flows.connections import provider_of
from flows.deliveries import Reconciliation, ReconciliationReport, reconcile_deliveries
from flows.ledger import (
    CampaignPlan,
    CampaignSettings,
    batch_states,
    open_ledger,
    outstanding,
    plan,
    take_lease,
    totals,
)
from flows.ledger.tables import batches
from flows.sending.dispatch import send_batches
from flows.sending.outbox import Outbox
from interface.errors import DovecoteError, Unauthorized

pytestmark = SOCKETS_OF_PREFECT

TWO_HOURS = 7200


def two_hours_ago():
    return time.time() - TWO_HOURS


@pytest.fixture
def fake():
    return FakeProvider(now=two_hours_ago)


@pytest.fixture
def account(prefect, fake):  # noqa: ARG001  (where the block is saved)
    name = f"reconciled-{uuid.uuid4().hex[:8]}"
    with served(fake.app) as address:
        block = MessagingAccount(
            api_key="secret-key",
            messaging_url=f"{address}/v2",
            rest_url=f"{address}/v1",
            appears_within_seconds=60,
        )
        block.save(name)
        yield name, block


@pytest.fixture
def book(monkeypatch, tmp_path):
    address = f"sqlite:///{tmp_path / 'ledger.sqlite3'}"
    monkeypatch.setenv("DOVECOTE_LEDGER", address)
    opened = open_ledger(address, two_hours_ago)
    yield opened
    opened.close()


@pytest.fixture
def sent(account, book):
    """A campaign of four recipients in two calls, sent two hours ago; its id."""
    name, block = account
    wanted = a_plan(4)
    planned = plan(book, CampaignPlan(wanted.name, CampaignSettings(name, ("promotional",)), wanted.batches))

    async def send():
        async with provider_of(block) as provider:
            lease = take_lease(book, planned.id, "a run")
            for batch_id in outstanding(book, planned.id):
                try:
                    await send_batches(Outbox(lease, planned.settings, provider), [batch_id])
                except DovecoteError:
                    continue
            lease.give_back()

    def do():
        asyncio.run(send())
        return planned.id

    return do


def reconcile(account, **wishes):
    return asyncio.run(reconcile_deliveries(Reconciliation(account=account[0], **wishes)))


def test_results_that_were_missed_are_recorded(sent, account, book):
    campaign = sent()

    report = reconcile(account)

    assert (report.campaigns, report.repaired, report.is_odd) == (1, 4, False)
    assert totals(book, campaign).by_result == {"delivered": 4}
    assert {"what": "repaired", "figure": 4} in table_of(f"reconciliation-{account[0]}")


def test_nothing_new_the_second_time(sent, account):
    sent()
    reconcile(account)

    again = reconcile(account, thorough=True)

    assert again == ReconciliationReport(
        account=account[0],
        campaigns=1,
        repaired=0,
        found=0,
        planned_again=0,
        in_doubt=0,
        at_work=0,
        stuck=0,
        missing=0,
        unknown=0,
    )


def test_calls_without_an_answer_are_settled_and_nothing_is_sent(sent, account, book, fake):
    fake.faults.extend(["fail after accepting", "unavailable"])
    campaign = sent()
    calls = fake.calls["send"]

    report = reconcile(account)

    assert (report.found, report.planned_again, report.repaired) == (1, 1, 2)
    assert batch_states(book, campaign) == {"answered": 1, "planned": 1}
    assert (fake.calls["send"], fake.copies.total()) == (calls, 2)
    assert "1 calls never reached the provider" in artifact_data(f"reconciliation-{account[0]}-advice")


def test_a_call_that_may_still_show_up_is_left_alone(sent, account, book, fake):
    fake.faults.append("unavailable")
    account[1].appears_within_seconds = 3600.0
    account[1].save(account[0], overwrite=True)
    campaign = sent()
    with book.write() as connection:
        connection.execute(update(batches).values(claimed_at=time.time() - 600))

    report = reconcile(account)

    assert (report.in_doubt, report.planned_again) == (1, 0)
    assert batch_states(book, campaign) == {"answered": 1, "in_doubt": 1}


def test_a_call_of_a_run_at_work_is_left_to_it(sent, account, book, fake):
    fake.faults.append("unavailable")
    campaign = sent()
    take_lease(book, campaign, "a run at work", TWO_HOURS + 60)

    report = reconcile(account)

    assert (report.at_work, report.planned_again) == (1, 0)
    assert batch_states(book, campaign) == {"answered": 1, "in_doubt": 1}


def test_what_is_stuck_missing_or_unknown_is_told_with_what_to_do(sent, account, fake, prefect):
    fake.waiting = frozenset({number(0)})
    sent()
    tag = fake.sent[1].tag
    missing = next(one for one in fake.sent if one.phone_number == number(2))
    fake.sent.remove(missing)
    fake.sent.append(Sent("m-0", number(99), "Hello", tag, fake.sent[0].date, 0))

    report = reconcile(account, stuck_hours=1)

    assert (report.stuck, report.missing, report.unknown, report.repaired) == (1, 1, 1, 2)
    findings = {row["what"].split(":")[0]: row for row in table_of(f"reconciliation-{account[0]}-findings")}
    assert (findings["stuck"]["line"], findings["missing"]["line"], findings["unknown"]["line"]) == (2, 4, 0)
    assert findings["missing"]["message_id"] == missing.message_id
    assert number(99) not in str(findings)
    told = events_about(prefect, f"dovecote.account.{account[0]}", 1)
    assert (told[0]["event"], told[0]["payload"]["missing"]) == ("dovecote.deliveries.differ", 1)


def test_a_message_that_waits_for_less_is_not_stuck(sent, account, fake):
    fake.waiting = frozenset({number(0)})
    sent()

    assert reconcile(account, stuck_hours=3).stuck == 0


def test_a_rejected_message_is_asked_for_and_its_reason_kept(sent, account, book, fake):
    fake.opted_out = frozenset({number(1)})
    campaign = sent()

    reconcile(account)

    assert totals(book, campaign).by_reason == {"[304] Phone number is blacklisted or opted out": 1}


def test_campaigns_of_other_accounts_and_old_ones_are_left_out(sent, account):
    sent()

    assert reconcile(account, days=1).campaigns == 1
    other = (f"{account[0]}-other", account[1])
    account[1].save(other[0])
    assert reconcile(other).campaigns == 0


def test_a_failing_list_names_its_call(sent, account, fake):
    sent()
    fake.list_faults.append(401)

    with pytest.raises(Unauthorized, match=r"GET /messages failed with status 401: .* Check the key"):
        reconcile(account)
