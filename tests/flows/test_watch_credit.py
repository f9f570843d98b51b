"""The flow ``watch_credit`` on a real Prefect server: it says before credit runs out, once, and where to pay."""

import asyncio
import time
import uuid
from dataclasses import dataclass, field

import pytest
from builders import SOCKETS_OF_PREFECT
from flow_facts import artifact_data, events_about
from hypothesis import given
from hypothesis import strategies as st
from mail_server import mail_server_of
from prefect.blocks.abstract import NotificationError
from pydantic import ValidationError
from serving import served
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

from flows.blocks import MessagingAccount
from flows.credit import CreditWatch, watch_credit
from flows.email_block import SmtpEmail
from flows.ledger import open_ledger
from flows.ledger.balances import balances_since, keep_balance
from flows.problems import FlowProblem
from flows.spending import DAY, HOUR, Balance, Level, Limits, forecast, is_to_warn
from flows.tasks.credit import notify
from interface.errors import Unauthorized

pytestmark = SOCKETS_OF_PREFECT

LIMITS = Limits(7, 2)
TOPUP = {"account_number": "2000145399", "account_bank": "0800", "iban": "CZ6508000000192000145399", "vs": "1000000001"}


@dataclass
class Wallet:
    """A provider that knows a balance and where to pay."""

    credit: dict = field(default_factory=lambda: {"credit_czk": "1000.00", "credit_eur": "0.00", "currency": "CZK"})
    topup: dict | None = field(default_factory=lambda: {"success": True, "topup": TOPUP})
    status: int = 200

    @property
    def app(self):
        return Starlette(routes=[Route("/v1/credit", self.read), Route("/v1/billing/topup", self.where)])

    async def read(self, _request):
        return JSONResponse({"success": True, "credit": self.credit, "message": "Not you"}, self.status)

    async def where(self, _request):
        return JSONResponse(self.topup or {"message": "Failed to get topup info"}, 200 if self.topup else 400)


@pytest.fixture
def wallet():
    return Wallet()


@pytest.fixture
def name(prefect, wallet):  # noqa: ARG001  (where the block is saved)
    unique = f"credit-{uuid.uuid4().hex[:8]}"
    with served(wallet.app) as address:
        MessagingAccount(api_key="secret-key", rest_url=f"{address}/v1").save(unique)
        yield unique


@pytest.fixture
def book(monkeypatch, tmp_path):
    address = f"sqlite:///{tmp_path / 'ledger.sqlite3'}"
    monkeypatch.setenv("DOVECOTE_LEDGER", address)
    opened = open_ledger(address)
    yield opened
    opened.close()


@pytest.fixture
def watch(name, book):  # noqa: ARG001  (where it remembers)
    def run(**wishes):
        return asyncio.run(watch_credit(CreditWatch(account=name, **wishes)))

    return run


@pytest.fixture
def mails(name):
    with mail_server_of(name) as server:
        yield server


def had(book, name, amount, days_ago):
    keep_balance(book, name, Balance(time.time() - days_ago * DAY, int(amount * 1_000_000), "CZK"))


def test_with_enough_credit_it_only_tells_how_long_it_lasts(watch, book, name):
    had(book, name, 1100, days_ago=2)

    report = watch()

    assert (report.amount, report.currency, report.a_day, report.level, report.warned) == (
        "1000.00",
        "CZK",
        "50.00",
        "enough",
        False,
    )
    assert report.days_left == 20.0
    assert "At 50.00 CZK a day it lasts 20.0 days" in artifact_data(f"credit-{name}")


def test_before_it_runs_out_people_and_automations_are_told_where_to_pay(watch, book, name, mails, prefect):
    had(book, name, 1800, days_ago=4)

    report = watch(notify=[f"smtp-email/{name}"])

    assert (report.level, report.days_left, report.warned) == ("low", 5.0, True)
    (mail,) = mails.mails
    assert (mail["To"], mail["Subject"]) == ("ops@example.com", f"Credit of {name}: low")
    assert "IBAN CZ6508000000192000145399" in mail.get_payload()
    assert "payment symbol (vs) 1000000001" in mail.get_payload()
    (told,) = events_about(prefect, f"dovecote.account.{name}", 1)
    assert (told["event"], told["payload"]["topup"]) == ("dovecote.credit.low", TOPUP)


def test_people_are_warned_once_a_level_and_again_after_a_while(watch, wallet, name, mails):
    watch(low_amount=2000, notify=[f"smtp-email/{name}"])
    same = watch(low_amount=2000, notify=[f"smtp-email/{name}"])
    wallet.credit["credit_czk"] = "0.00"

    worse = watch(low_amount=2000, notify=[f"smtp-email/{name}"])

    assert (same.level, same.warned) == ("low", False)
    assert (worse.level, worse.warned) == ("empty", True)
    assert [mail["Subject"].rpartition(" ")[2] for mail in mails.mails] == ["low", "empty"]
    assert "Nothing can be sent" in mails.mails[1].get_payload()


def test_when_somebody_paid_in_it_says_so_and_warns_anew_later(watch, wallet, prefect, name):
    watch(low_amount=2000)
    wallet.credit["credit_czk"] = "5000.00"

    paid = watch(low_amount=2000)
    wallet.credit["credit_czk"] = "1500.00"
    again = watch(low_amount=2000)

    assert (paid.level, paid.warned, again.level, again.warned) == ("enough", False, "low", True)
    told = events_about(prefect, f"dovecote.account.{name}", 3)
    assert sorted(one["event"] for one in told) == [
        "dovecote.credit.low",
        "dovecote.credit.low",
        "dovecote.credit.restored",
    ]


def test_a_provider_that_does_not_say_where_to_pay_does_not_keep_the_warning_back(watch, wallet):
    wallet.topup = None
    wallet.credit = {"credit_czk": "0.00", "credit_eur": "1.50", "currency": None}

    report = watch(low_amount=2)

    assert (report.amount, report.currency, report.warned, report.topup) == ("1.50", "EUR", True, None)


def test_a_mail_server_that_is_not_there_is_told_and_the_warning_repeated(watch, book, name, mails, monkeypatch):
    monkeypatch.setattr("flows.credit.notify", notify.with_options(retries=0))
    SmtpEmail(
        host="127.0.0.1", port=1, security="none", sender="dovecote@example.com", recipients=["ops@example.com"]
    ).save(f"{name}-off")

    with pytest.raises(FlowProblem, match=r"could not notify anybody: The mail server 127\.0\.0\.1 didn't take an"):
        watch(low_amount=2000, notify=[f"smtp-email/{name}-off"])
    assert watch(low_amount=2000, notify=[f"smtp-email/{name}"]).warned

    assert len(mails.mails) == 1
    assert len(balances_since(book, name, 0)) == 2


def test_what_a_mail_server_answers_is_not_repeated(mails, name):
    mails.refuses = True
    block = SmtpEmail.load(name)

    with block.raise_on_failure(), pytest.raises(NotificationError) as told:
        asyncio.run(block.notify("body", "subject"))

    assert told.value.log == "The mail server 127.0.0.1 didn't take an e-mail: SMTPSenderRefused 550."


@pytest.mark.parametrize("block", ["smtp-email/nowhere", "messaging-account/{name}"])
def test_a_block_that_cannot_notify_is_told_before_credit_has_run_out(watch, name, block):
    with pytest.raises(FlowProblem, match=r"There is no block|notifies nobody"):
        watch(notify=[block.format(name=name)])


def test_a_refusal_names_the_call(watch, wallet):
    wallet.status = 401

    with pytest.raises(Unauthorized, match=r"GET /credit failed with status 401: Not you\. Check the key"):
        watch()


def test_critical_is_worse_than_low():
    with pytest.raises(ValidationError, match="fewer days than low"):
        CreditWatch(low_days=2, critical_days=2)


def balances(*amounts):
    return [Balance(index * DAY, amount, "CZK") for index, amount in enumerate(amounts)]


def test_paying_in_does_not_hide_what_was_spent():
    *history, now = balances(100, 60, 1060, 1000)

    assert forecast(history, now, LIMITS).a_day == round(100 / 3)


def test_nothing_is_known_of_the_first_hour_or_of_another_currency():
    now = Balance(HOUR / 2, 100, "CZK")

    assert forecast([Balance(0, 500, "CZK")], now, LIMITS).days_left is None
    assert forecast([Balance(-DAY, 500, "EUR")], now, LIMITS).a_day is None
    assert forecast([], Balance(0, 0, "CZK"), LIMITS).level is Level.EMPTY


@given(st.lists(st.integers(0, 10**12), min_size=2, max_size=20))
def test_the_rate_is_never_negative_and_credit_never_lasts_less_than_it_does(amounts):
    *history, now = balances(*amounts)

    told = forecast(history, now, LIMITS)

    assert told.a_day >= 0
    if told.days_left is not None:
        assert told.days_left * told.a_day == pytest.approx(now.amount, rel=1e-6, abs=1)


def test_a_warning_is_repeated_after_a_while_only():
    warned = [Balance(0, 5, "CZK", Level.LOW, warned_at=10.0)]

    assert not is_to_warn(warned, Level.LOW, 10.0 + DAY - 1, DAY)
    assert is_to_warn(warned, Level.LOW, 10.0 + DAY, DAY)
    assert is_to_warn(warned, Level.CRITICAL, 11.0, DAY)
    assert not is_to_warn(warned, Level.ENOUGH, 10.0 + 2 * DAY, DAY)
