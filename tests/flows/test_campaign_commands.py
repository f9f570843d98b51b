"""The commands ``dovecote campaign preview``, ``status`` and ``cancel``, as a person or a script calls them."""

import asyncio
import csv
import json
from collections import deque
from dataclasses import replace

import pytest
from builders import a_plan, claim, number
from provider import Provider as FakeProvider
from serving import served
from typer.testing import CliRunner

from deployments.campaign_commands import app
from flows.ledger import (
    Answer,
    Delivery,
    approve,
    find_campaign,
    open_ledger,
    outstanding,
    plan,
    record,
    record_deliveries,
    take_lease,
    totals,
)
from flows.provider import Provider
from flows.sending.dispatch import send_batches
from flows.sending.outbox import Outbox
from interface.client import Addresses, AsyncMessagingClient
from interface.errors import OutcomeUnknown

NOBODY = "http://127.0.0.1:9/api"


@pytest.fixture
def ledger_file(tmp_path):
    return f"sqlite:///{tmp_path / 'ledger.sqlite3'}"


@pytest.fixture
def book(ledger_file):
    opened = open_ledger(ledger_file)
    yield opened
    opened.close()


def run(*words, **environment):
    return CliRunner().invoke(app, [str(word) for word in words], env=environment)


def preview(fake, *words):
    with served(fake.app) as address:
        return run("preview", "Spring", *words, "--address", address, DOVECOTE_API_KEY="key")


@pytest.fixture
def people(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("phone,name\n+420777000001,Ada\n+436641230001,Bob\n+420777000001,Ada\n")
    return path


def test_a_preview_tells_what_would_be_sent_and_sends_nothing(people):
    fake = FakeProvider(prices={"sms": {"default": {"price_czk": "1.50"}}}, credit_czk="3.00")

    shown = preview(fake, "--recipients", people, "--text", "Hello {name}", "--json")

    told = json.loads(shown.stdout)
    assert (told["recipients"], told["duplicates"], told["price_czk"], told["credit_suffices"]) == (2, 1, "3.00", True)
    assert shown.exit_code == 0
    assert not fake.sent


def test_a_preview_ends_with_3_when_the_credit_does_not_suffice(people):
    fake = FakeProvider(prices={"sms": {"default": {"price_czk": "1.50"}}}, credit_czk="2.99")

    shown = preview(fake, "--recipients", people, "--text", "Hello {name}")

    assert shown.exit_code == 3
    assert "That doesn't suffice" in " ".join(shown.stdout.split())


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["--text", "Hello"], 2, "Invalid value for --recipients, --number, --segment: Give the recipients once"),
        (["--text", "Hello", "--number", "777123456", "--hours", "9"], 2, "Write the hours"),
        (["--text", "Hello", "--number", "777123456", "--days", "monday"], 2, "Give the hours"),
        (["--text", "Hello {name}", "--number", "777123456"], 1, "asks for {name}"),
        (["--text", "Hello", "--recipients", "nowhere.csv"], 1, "There is no file"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(words, code, sentence):
    shown = preview(FakeProvider(), *words)

    assert shown.exit_code == code
    assert sentence in " ".join(shown.stderr.replace("│", " ").split())


def test_a_status_has_the_figures_and_ends_with_3_while_something_is_to_come(book, ledger_file):
    plan(book, a_plan())

    shown = run("status", "Spring sale", "--ledger", ledger_file, "--json")

    told = json.loads(shown.stdout)
    assert (told["report"]["recipients"], told["report"]["planned"], told["approved"]) == (4, 4, True)
    assert shown.exit_code == 3


def test_a_status_of_a_campaign_that_is_through_ends_with_0_and_writes_its_failures(book, ledger_file, tmp_path):
    campaign = plan(book, a_plan(2))
    batch = claim(take_lease(book, campaign.id, "me"), outstanding(book, campaign.id)[0])
    record(book, [(batch, Answer("r", {0: "m0", 1: "m1"}))])
    news = {number(0): Delivery("delivered"), number(1): Delivery("rejected", "[304] Opted out")}
    record_deliveries(book, {batch.id: news})

    shown = run("status", "Spring sale", "--ledger", ledger_file, "--failures", tmp_path / "failures.csv")

    assert shown.exit_code == 0
    assert "done" in shown.stdout
    rows = list(csv.DictReader((tmp_path / "failures.csv").read_text().splitlines()))
    assert [(row["phone_number"], row["reason"]) for row in rows] == [(number(1), "[304] Opted out")]


def test_a_status_says_that_approval_is_waited_for(book, ledger_file):
    campaign = plan(book, replace(a_plan(), needs_approval=True))

    before = run("status", "Spring sale", "--ledger", ledger_file)
    approve(book, campaign.id)
    after = run("status", "Spring sale", "--ledger", ledger_file)

    assert "waits for approval" in before.stdout
    assert "under way" in after.stdout


def test_cancelling_works_without_the_prefect_server(book, ledger_file):
    plan(book, a_plan())

    shown = run("cancel", "Spring sale", "--ledger", ledger_file, "--prefect", NOBODY)

    assert shown.exit_code == 0
    assert "4 people are not written to" in shown.stdout
    assert "A campaign that the ledger has is cancelled nevertheless" in shown.stderr
    assert find_campaign(book, "Spring sale").cancelled_at is not None
    assert "cancelled" in run("status", "Spring sale", "--ledger", ledger_file).stdout


def test_what_waits_at_the_provider_is_taken_back_except_where_it_is_too_late(book, ledger_file):
    fake = FakeProvider(on_their_way=frozenset({number(1)}))
    campaign = plan(book, a_plan(3))

    async def send(address):
        async with AsyncMessagingClient("key", Addresses.of(address)) as client:
            outbox = Outbox(take_lease(book, campaign.id, "me"), campaign.settings, Provider(client))
            await send_batches(outbox, outstanding(book, campaign.id))

    with served(fake.app) as address:
        asyncio.run(send(address))
        words = (
            "cancel",
            "Spring sale",
            "--recall",
            "--ledger",
            ledger_file,
            "--prefect",
            NOBODY,
            "--address",
            address,
        )
        shown = run(*words, "--json", DOVECOTE_API_KEY="key")

    assert json.loads(shown.stdout)["recalled"] == 2
    assert totals(book, campaign.id).by_result == {"cancelled": 2, "accepted": 1}


def test_without_a_key_for_what_waits_at_the_provider_nothing_is_cancelled(book, ledger_file, monkeypatch):
    monkeypatch.delenv("DOVECOTE_API_KEY", raising=False)
    plan(book, a_plan())

    shown = run("cancel", "Spring sale", "--recall", "--ledger", ledger_file, "--prefect", NOBODY)

    assert shown.exit_code == 2
    assert "No key" in shown.stderr
    assert find_campaign(book, "Spring sale").cancelled_at is None


def test_a_call_without_an_answer_is_looked_up_and_taken_back(book, ledger_file):
    fake = FakeProvider(faults=deque(["lose answer"]))
    campaign = plan(book, a_plan(2))

    async def send(address):
        async with AsyncMessagingClient("key", Addresses.of(address)) as client:
            outbox = Outbox(take_lease(book, campaign.id, "me", 0.1), campaign.settings, Provider(client))
            await send_batches(outbox, outstanding(book, campaign.id))

    with served(fake.app) as address:
        with pytest.raises(OutcomeUnknown):
            asyncio.run(send(address))
        words = ("--recall", "--ledger", ledger_file, "--prefect", NOBODY, "--address", address, "--json")
        shown = run("cancel", "Spring sale", *words, DOVECOTE_API_KEY="key")

    assert json.loads(shown.stdout)["recalled"] == 2
    assert "1 calls without an answer are looked up first" in shown.stderr
    assert totals(book, campaign.id).by_result == {"cancelled": 2}


@pytest.mark.parametrize(
    ("command", "more"),
    [
        (["status"], "One whose run hasn't begun, or still reads its recipients, isn't in it yet."),
        (["cancel", "--prefect", NOBODY], "Whether Prefect has a run for it that waits to begin isn't known."),
    ],
)
def test_an_unknown_campaign_is_said_and_where_else_it_may_be(ledger_file, command, more):
    shown = run(*command, "Nobody's", "--ledger", ledger_file)

    assert shown.exit_code == 1
    assert 'The ledger has no campaign "Nobody\'s"; see: dovecote ledger list.' in shown.stderr
    assert more in shown.stderr
