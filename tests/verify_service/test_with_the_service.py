"""From a browser to the operator and back: the front and the messaging service together, only the network simulated."""

import re
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from browsing import CHROMIUM, Telephone, run_chromium
from playwright.sync_api import expect
from running_verify import NUMBER, RunningVerify, run_verify, settings_for
from sqlalchemy import select

from messaging_service.channels.simulated import log
from messaging_service.store.engine import open_store
from messaging_service.verification.account import AccountVerification
from messaging_service.verification.accounts import AccountBook
from messaging_service.verification.key import open_codes
from tests.conftest import missing

sys.path.append(str(Path(__file__).parents[1] / "messaging_service"))
from running_service import RunningService, run_service

SECRET = "the-verification-secret-0001"


@pytest.fixture
def messaging(tmp_path: Path) -> Iterator[RunningService]:
    with run_service(f"sqlite:///{tmp_path}/dovecote.db", tmp_path, verification_pause=0) as running:
        settings = AccountVerification(secret=SECRET, language="cs")
        with running.store.writing() as connection:
            AccountBook(open_codes(running.settings)).write(connection, 1, settings)
        yield running


@pytest.fixture
def front(messaging: RunningService, database: str) -> Iterator[RunningVerify]:
    settings = settings_for(
        messaging.url,
        database,
        upstream_key=messaging.key,
        upstream_timeout=10,
        upstream_idempotent=True,
        proof_secrets=SECRET,
        resend_after=0,
    )
    with run_verify(settings) as running:
        yield running


def codes_at(messaging: RunningService, count: int) -> list[str]:
    """Return the codes that the operator delivered, in order, once there are so many."""

    def arrived() -> list[str]:
        with closing(open_store(messaging.settings.operator_url)) as records, records.reading() as connection:
            texts = connection.execute(select(log.taken.c.text).order_by(log.taken.c.taken_at)).scalars().all()
        return [re.findall(r"\b\d{6}\b", each)[0] for each in texts] if len(texts) >= count else []

    return list(messaging.wait_until(arrived))


def another_than(*codes: str) -> str:
    return next(code for code in ("111111", "222222", "333333") if code not in codes)


def test_a_person_is_verified_by_the_code_that_the_operator_delivered(
    messaging: RunningService, front: RunningVerify
) -> None:
    if CHROMIUM is None:
        missing("Chromium")
    with run_chromium() as chromium, closing(Telephone(chromium)) as telephone:
        page = telephone.open(front.url, locale="cs-CZ")
        page.get_by_label("Telefonní číslo").fill("777 123 456")
        page.get_by_role("button", name="Poslat kód").click()
        (code,) = codes_at(messaging, 1)
        field = page.get_by_label("Kód ze zprávy")
        field.fill(another_than(code))
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_have_text(
            "Kód není správný. Zkontrolujte ho a zkuste to znovu. Zbývá pokusů: 5."
        )
        field.fill(code)
        page.keyboard.press("Enter")

        expect(page.get_by_text("Číslo je ověřeno").first).to_be_visible()
        assert page.problems == []


def test_attempts_codes_and_limits_are_those_of_the_service(messaging: RunningService, front: RunningVerify) -> None:
    browser = front.browser()
    session = browser.started()
    (first,) = codes_at(messaging, 1)
    wrong = [browser.check(session, another_than(first)).json()["attemptsRemaining"] for _ in range(2)]
    resent = browser.resend(session)
    codes_at(messaging, 2)
    late = browser.check(session, first)

    assert wrong == [5, 4]
    assert resent.status_code == 202
    assert late.status_code == 200

    redeemed = front.back_end().post("/results/redeem", json={"result": late.json()["result"]}).json()
    assert (redeemed["phoneNumber"], redeemed["purpose"]) == (NUMBER, "sign-up")

    starts = [browser.start() for _ in range(5)]
    refused = starts[-1]
    assert (refused.status_code, refused.json()["code"]) == (429, "too-many-attempts")
    assert refused.json()["retryAfter"] > 60


def test_a_double_click_is_one_message(messaging: RunningService, front: RunningVerify) -> None:
    browser = front.browser()

    sessions = {browser.start(Idempotency_Key="click-1").json()["session"] for _ in range(2)}

    assert len(sessions) == 1
    assert len(codes_at(messaging, 1)) == 1


def test_what_the_service_refuses_the_front_explains(messaging: RunningService, front: RunningVerify) -> None:
    assert front.browser().start("+420 12").json()["code"] == "invalid-phone"
    with messaging.store.writing() as connection:
        book = AccountBook(open_codes(messaging.settings))
        book.write(connection, 1, AccountVerification(countries=("SK",)))

    answer = front.browser().start()

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid-phone")


def test_a_proof_of_the_service_is_good_here_once(messaging: RunningService, front: RunningVerify) -> None:
    token = messaging.api.post("/v1/validations", json={"phoneNumber": NUMBER}).json()["token"]
    (code,) = codes_at(messaging, 1)
    verified = messaging.api.post(f"/v1/validations/{token}/verify", json={"code": code}).json()

    first, second = (front.back_end().post("/proofs/validate", json=verified).json() for _ in range(2))

    assert first == {"valid": True}
    assert second == {"valid": False, "reason": "used"}


def test_a_key_that_the_service_refuses_is_our_trouble_not_the_persons(
    messaging: RunningService, database: str
) -> None:
    settings = settings_for(messaging.url, database, upstream_key="a-key-that-nobody-knows")
    with run_verify(settings) as front:
        answer = front.browser().start()

    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
