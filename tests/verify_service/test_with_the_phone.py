"""The whole round in a browser: the verification page on one side, the virtual phone with the code on the other."""

import re
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from browsing import CHROMIUM, Telephone, run_chromium
from playwright.sync_api import Locator, Page, expect
from running_verify import SERVICE_KEY, RunningVerify, run_verify, settings_for
from site_of_somebody import origin_of, serving

from tests.conftest import missing

sys.path.append(str(Path(__file__).parents[1] / "messaging_service"))
from running_service import MovableClock, RunningService, run_service

NUMBER = "+420 777 123 456"
TEN_MINUTES = 600


@dataclass
class Round:
    """Both services, and a person with a browser and a telephone."""

    messaging: RunningService
    front: RunningVerify
    telephone: Telephone

    def page(self) -> Page:
        return self.telephone.open(self.front.url)

    def phone(self) -> Page:
        page = self.telephone.open(f"{self.messaging.url}/phone", viewport={"width": 1100, "height": 720})
        expect(page.get_by_role("status")).to_have_text("Live")
        return page


@pytest.fixture
def person() -> Iterator[Telephone]:
    if CHROMIUM is None:
        missing("Chromium")
    with run_chromium() as chromium:
        telephone = Telephone(chromium)
        yield telephone
        telephone.close()


@pytest.fixture
def messaging(tmp_path: Path) -> Iterator[RunningService]:
    with run_service(f"sqlite:///{tmp_path}/dovecote.db", tmp_path, verification_pause=0) as running:
        yield running


@pytest.fixture
def whole(messaging: RunningService, database: str, person: Telephone) -> Iterator[Round]:
    settings = settings_for(messaging.url, database, upstream_key=messaging.key, upstream_timeout=10, resend_after=0)
    with run_verify(settings) as front:
        yield Round(messaging, front, person)


def ask_for_a_code(page: Page) -> Locator:
    """Give the number; returns the field for the code."""
    page.get_by_label("Phone number").fill(NUMBER)
    page.get_by_role("button", name="Send code").click()
    field = page.get_by_label("Code from the text message")
    expect(field).to_be_focused()
    return field


def code_on(phone: Page, which: int = 0) -> str:
    """Return a code that stands on the phone, the oldest as number 0, once it is there."""
    phone.get_by_role("link", name=NUMBER).click()
    text = phone.get_by_role("log").get_by_text("Your verification code is").nth(which)
    expect(text).to_be_visible()
    return re.findall(r"\d{6}", text.inner_text())[0]


def wrong(code: str) -> str:
    return "111111" if code != "111111" else "222222"


def enter(page: Page, code: str) -> None:
    page.get_by_label("Code from the text message").fill(code)
    page.get_by_role("button", name="Verify").click()


def test_a_person_reads_the_code_on_the_virtual_phone_and_is_verified(whole: Round) -> None:
    phone, page = whole.phone(), whole.page()

    ask_for_a_code(page)
    code = code_on(phone)
    enter(page, wrong(code))
    expect(page.get_by_role("alert")).to_contain_text("Attempts left: 5.")
    enter(page, code)

    expect(page.get_by_text("Number verified").first).to_be_visible()
    assert page.problems == []
    assert phone.problems == []


def test_after_another_code_either_is_good(whole: Round) -> None:
    phone, page = whole.phone(), whole.page()
    ask_for_a_code(page)
    first = code_on(phone)

    page.get_by_role("button", name="Send a new code").click()
    expect(page.get_by_role("status").first).to_have_text("A new code is on its way.")
    code_on(phone, which=1)
    enter(page, first)

    expect(page.get_by_text("Number verified").first).to_be_visible()
    assert page.problems == []


def test_a_code_that_came_too_late_leads_back_to_the_number(whole: Round) -> None:
    phone, page = whole.phone(), whole.page()
    ask_for_a_code(page)
    code = code_on(phone)
    later(whole.messaging.clock)

    enter(page, code)

    expect(page.get_by_role("alert")).to_have_text("This verification is over. Start again.")
    ask_for_a_code(page)
    enter(page, code_on(phone, which=1))
    expect(page.get_by_text("Number verified").first).to_be_visible()


def later(clock: MovableClock) -> None:
    clock.move((TEN_MINUTES + 1) * 1000)


def test_the_keyboard_is_enough_for_the_whole_round(whole: Round) -> None:
    phone, page = whole.phone(), whole.page()

    page.keyboard.press("Tab")
    page.keyboard.type(NUMBER)
    page.keyboard.press("Enter")
    expect(page.get_by_label("Code from the text message")).to_be_focused()
    expect(phone.get_by_role("link", name=NUMBER)).to_be_visible()
    phone.keyboard.press("Tab")
    phone.keyboard.press("Enter")
    expect(phone.get_by_role("log")).to_contain_text(re.compile(r"\d{6}"))
    code = re.findall(r"\d{6}", phone.get_by_role("log").inner_text())[0]
    page.keyboard.type(code)
    page.keyboard.press("Enter")

    expect(page.get_by_text("Number verified").first).to_be_visible()
    assert page.problems == []


def test_the_element_on_a_page_of_another_origin_takes_the_code_from_the_phone(
    messaging: RunningService, database: str, person: Telephone
) -> None:
    sys.path.insert(0, str(Path(__file__).parents[2] / "examples" / "verify"))
    from shop import create_shop

    with ExitStack() as stack:
        shop = stack.enter_context(serving())
        settings = settings_for(messaging.url, database, upstream_key=messaging.key, origins=origin_of(shop))
        front = stack.enter_context(run_verify(settings))
        shop.app = create_shop(front.url, SERVICE_KEY)
        whole = Round(messaging, front, person)
        phone, page = whole.phone(), person.open(origin_of(shop))

        ask_for_a_code(page)
        enter(page, code_on(phone))

        expect(page.get_by_text("Welcome, +420777123456.")).to_be_visible()
        assert page.context.cookies() == []
        assert page.problems == []


def test_an_answer_on_the_phone_reaches_the_inbox(whole: Round) -> None:
    whole.messaging.api.post("/v2/message", json={"to": [{"phone_number": NUMBER}], "body": "May we?"})
    phone = whole.phone()
    phone.get_by_role("link", name=NUMBER).click()

    phone.get_by_role("textbox", name="Answer").fill("Yes, <b>please</b>")
    phone.keyboard.press("Enter")

    expect(phone.get_by_role("log").get_by_text("Yes, <b>please</b>")).to_be_visible()
    expect(phone.get_by_role("textbox", name="Answer")).to_have_value("")
    (received,) = whole.messaging.wait_until(lambda: inbox(whole.messaging))
    assert (received["from"], received["body"]) == ("420777123456", "Yes, <b>please</b>")
    assert phone.problems == []


def inbox(messaging: RunningService) -> list[dict[str, Any]]:
    today = datetime.now(UTC).date()
    dates = [(today - timedelta(days=back)).isoformat() for back in (1, 0)]  # it may have come before midnight
    answers = [messaging.api.get("/v1/inbox", params={"date": date}) for date in dates]
    return [received for answer in answers for received in answer.json()["inbox"]]


def test_texts_come_to_an_open_phone_and_what_is_new_is_counted(whole: Round) -> None:
    api = whole.messaging.api
    phone = whole.phone()
    expect(phone.get_by_text("No messages yet.")).to_be_visible()

    for body in ("One", "Two"):
        api.post("/v2/message", json={"to": [{"phone_number": NUMBER}], "body": body})

    link = phone.get_by_role("link", name=NUMBER)
    expect(link.get_by_title("new")).to_have_text("2")
    expect(phone.get_by_text("No messages yet.")).to_be_hidden()
    link.click()
    expect(link.get_by_title("new")).to_have_count(0)
    expect(phone.get_by_role("log").get_by_role("listitem")).to_have_count(2)


def test_on_a_narrow_screen_the_list_and_the_chat_follow_each_other(whole: Round) -> None:
    whole.messaging.api.post("/v2/message", json={"to": [{"phone_number": NUMBER}], "body": "One"})
    phone = whole.telephone.open(f"{whole.messaging.url}/phone", viewport={"width": 320, "height": 560})

    phone.get_by_role("link", name=NUMBER).click()

    expect(phone.get_by_role("navigation")).to_be_hidden()
    assert phone.evaluate("document.documentElement.scrollWidth") == 320
    phone.get_by_role("link", name="All numbers").click()
    expect(phone.get_by_role("navigation")).to_be_visible()
    expect(phone.get_by_role("log")).to_be_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_of_the_phone_stand_out_from_their_ground(whole: Round, scheme: str) -> None:
    whole.messaging.api.post("/v2/message", json={"to": [{"phone_number": NUMBER}], "body": "One"})
    phone = whole.telephone.open(f"{whole.messaging.url}/phone", color_scheme=scheme)
    phone.get_by_role("link", name=NUMBER).click()
    phone.get_by_role("button", name="YES").click()
    expect(phone.get_by_role("log").get_by_role("listitem")).to_have_count(2)

    ratios = phone.evaluate((Path(__file__).parent / "contrast.js").read_text())

    assert len(ratios) >= 6
    assert {text: ratio for text, ratio in ratios.items() if ratio < 4.5} == {}
