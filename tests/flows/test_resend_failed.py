"""The flow ``resend_failed`` on a real Prefect server: whom a campaign didn't reach is tried again, exactly once."""

import asyncio
import uuid
from collections import Counter
from dataclasses import dataclass, field

import pytest
from builders import SOCKETS_OF_PREFECT, number
from provider import Provider as FakeProvider
from pydantic import ValidationError
from serving import served
from sqlalchemy import update

from flows.blocks import MessagingAccount
from flows.campaign import send_campaign
from flows.ledger import find_campaign, open_ledger, totals
from flows.ledger.tables import batches, campaigns, recipients
from flows.parameters import Campaign
from flows.problems import FlowProblem
from flows.resending import SecondTry, resend_failed

pytestmark = SOCKETS_OF_PREFECT


def unreachable(index):
    """A number of which this provider says that it couldn't be reached."""
    return f"42077{index:03}9001"


@dataclass
class NotingProvider(FakeProvider):
    """Notes the channels of each message."""

    flows: Counter = field(default_factory=Counter)
    bodies: dict = field(default_factory=dict)

    def _accept(self, objects, fault):
        for item in objects:
            steps = tuple(next(iter(step)) for step in item.get("flow") or [])
            self.flows[steps] += len(item["to"])
            self.bodies |= {(steps, one["phone_number"]): item["body"] for one in item["to"]}
        return super()._accept(objects, fault)


@pytest.fixture
def fake():
    return NotingProvider()


@pytest.fixture
def name(prefect, fake):  # noqa: ARG001  (where the block is saved)
    unique = f"again-{uuid.uuid4().hex[:8]}"
    with served(fake.app) as address:
        MessagingAccount(
            api_key="secret-key",
            messaging_url=f"{address}/v2",
            rest_url=f"{address}/v1",
            appears_within_seconds=0,
        ).save(unique)
        yield unique


@pytest.fixture
def book(monkeypatch, tmp_path):
    address = f"sqlite:///{tmp_path / 'ledger.sqlite3'}"
    monkeypatch.setenv("DOVECOTE_LEDGER", address)
    opened = open_ledger(address)
    yield opened
    opened.close()


@pytest.fixture
def sent(name, book):
    """A campaign that was sent to these numbers; ``more`` are its other parameters."""

    def send(numbers, **more):
        people = [{"phone": each, "name": f"P{line}"} for line, each in enumerate(numbers, 1)]
        wanted = {"name": name, "text": "Hello {name}", "recipients": people, "account": name, "quiet_seconds": 1}
        asyncio.run(send_campaign(Campaign(**wanted | more)))
        return find_campaign(book, name).id

    return send


@pytest.fixture
def again(name):
    def run(**wishes):
        wanted = {"campaign": name, "account": name, "channel": "viber", "sender": "Shop", "quiet_seconds": 1, **wishes}
        return asyncio.run(resend_failed(SecondTry(**wanted)))

    return run


def test_those_whom_it_did_not_reach_get_it_through_another_channel(sent, again, fake):
    sent([number(1), unreachable(2), unreachable(3)])

    report = again(then_sms_after=60)

    assert fake.copies == {number(1): 1, unreachable(2): 2, unreachable(3): 2}
    assert fake.flows == {(): 3, ("viber", "sms"): 2}
    assert fake.bodies[("viber", "sms"), unreachable(2)] == "Hello P2"
    assert (report.failed, report.tried, report.tries[0].undelivered) == (2, 2, 2)


def test_nobody_is_tried_again_twice(sent, again, fake, book, name):
    sent([unreachable(2)])
    again()

    report = again(channel="rcs")

    assert (report.failed, report.tried, report.tries) == (1, 0, [])
    assert fake.copies == {unreachable(2): 2}
    assert find_campaign(book, f"{name}-again-2") is None


def test_those_who_failed_since_are_tried_by_the_next_run(sent, again, fake, book, name):
    late = number(1)
    fake.without_receipt = frozenset({late})
    campaign = sent([late, unreachable(2)])
    again()
    fake.without_receipt = frozenset()
    with book.write() as connection:
        connection.execute(
            update(recipients)
            .where(recipients.c.campaign_id == campaign, recipients.c.phone_number == late)
            .values(result="failed")
        )

    report = again()

    assert report.tried == 1
    assert fake.copies == {late: 2, unreachable(2): 2}
    assert totals(book, find_campaign(book, f"{name}-again-2").id).recipients == 1


def test_a_second_try_whose_results_were_not_awaited_is_followed_by_the_run_after_a_crash(sent, again, book, name):
    sent([unreachable(2)])
    again()
    second = find_campaign(book, f"{name}-again-1")
    with book.write() as connection:  # as a killed run leaves it: all taken, nothing heard
        connection.execute(update(recipients).where(recipients.c.campaign_id == second.id).values(result="accepted"))

    report = again()

    assert totals(book, second.id).by_result == {"undelivered": 1}
    assert [one.undelivered for one in report.tries] == [1]


def test_results_that_were_awaited_long_enough_are_not_awaited_again(sent, again, book, name):
    sent([unreachable(2)])
    again()
    second = find_campaign(book, f"{name}-again-1")
    with book.write() as connection:
        connection.execute(update(recipients).where(recipients.c.campaign_id == second.id).values(result="sent"))
        connection.execute(update(batches).where(batches.c.campaign_id == second.id).values(answered_at=0))

    assert again().tries == []


def test_only_reasons_that_may_pass_count(sent, again, fake):
    fake.opted_out = frozenset({number(1)})
    sent([number(1), unreachable(2)])

    assert again(reasons=["failed", "insufficient credit"]).tried == 0
    assert fake.copies == {number(1): 1, unreachable(2): 1}


def test_an_old_unknown_or_foreign_campaign_is_refused(sent, again, book, name):
    sent([unreachable(2)])

    with pytest.raises(FlowProblem, match="The ledger has no campaign 'nothing'"):
        again(campaign="nothing")
    with book.write() as connection:
        connection.execute(update(campaigns).values(created_at=0))
    with pytest.raises(FlowProblem, match="older than 72 hours"):
        again()
    MessagingAccount.load(name).save(f"{name}-other")
    with pytest.raises(FlowProblem, match=f"sent through the account '{name}'"):
        again(account=f"{name}-other")


@pytest.mark.parametrize(
    ("wishes", "sentence"),
    [
        ({"channel": "whatsapp_template"}, "template_name"),
        ({"channel": "sms", "then_sms_after": 5}, "for other channels than sms"),
        ({"channel": "pigeon"}, "Input should be"),
        ({"channel": "viber", "reasons": []}, "at least 1 item"),
    ],
)
def test_what_cannot_be_sent_is_refused_by_the_form(wishes, sentence):
    with pytest.raises(ValidationError, match=sentence):
        SecondTry(campaign="x", **wishes)
