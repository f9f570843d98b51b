"""What a person sees and does, in a real browser: the hosted page, and the element on a foreign page."""

import re
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from browsing import CHROMIUM, Telephone, run_chromium
from fake_upstream import FakeUpstream
from playwright.sync_api import Browser, Page, expect
from running_verify import NUMBER, SERVICE_KEY, RunningVerify, run_verify, settings_for
from site_of_somebody import origin_of, serving

from tests.conftest import missing

EXAMPLES = Path(__file__).parents[2] / "examples" / "verify"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    if CHROMIUM is None:
        missing("Chromium")
    with run_chromium() as running:
        yield running


@pytest.fixture
def telephone(chromium: Browser) -> Iterator[Telephone]:
    held = Telephone(chromium)
    yield held
    held.close()


@pytest.fixture
def service(upstream: FakeUpstream, database: str) -> Iterator[RunningVerify]:
    with run_verify(settings_for(upstream.url, database, resend_after=0)) as running:
        yield running


def to_the_code(page: Page, number: str = "+420 777 123 456") -> None:
    page.get_by_label("Phone number").fill(number)
    page.get_by_role("button", name="Send code").click()
    expect(page.get_by_label("Code from the text message")).to_be_focused()


def enter(page: Page, code: str) -> None:
    page.get_by_label("Code from the text message").fill(code)
    page.get_by_role("button", name="Verify").click()


def test_a_person_goes_from_number_to_verified(
    telephone: Telephone, service: RunningVerify, upstream: FakeUpstream
) -> None:
    page = telephone.open(service.url)

    to_the_code(page)
    enter(page, upstream.code_for(NUMBER))

    expect(page.get_by_text("Number verified").first).to_be_visible()
    expect(page.get_by_text("You can close this page")).to_be_visible()
    assert page.problems == []


def test_the_binding_is_a_cookie_that_no_script_sees(telephone: Telephone, service: RunningVerify) -> None:
    page = telephone.open(service.url)

    to_the_code(page)

    (cookie,) = page.context.cookies()
    assert cookie["name"].startswith("__Host-")
    assert (cookie["httpOnly"], cookie["secure"], cookie["sameSite"]) == (True, True, "Lax")
    assert page.evaluate("document.cookie") == ""
    assert page.evaluate("localStorage.length + sessionStorage.length") == 0


def test_the_keyboard_is_enough(telephone: Telephone, service: RunningVerify, upstream: FakeUpstream) -> None:
    page = telephone.open(service.url)

    page.keyboard.press("Tab")
    page.keyboard.type("+420777123456")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Code from the text message")).to_be_focused()
    page.keyboard.type(upstream.code_for(NUMBER))
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")

    expect(page.get_by_text("Number verified").first).to_be_visible()
    assert page.problems == []


def test_a_wrong_code_is_told_beside_the_field_with_the_attempts_left(
    telephone: Telephone, service: RunningVerify, upstream: FakeUpstream
) -> None:
    page = telephone.open(service.url)
    to_the_code(page)

    enter(page, upstream.wrong_code_for(NUMBER))

    field = page.get_by_label("Code from the text message")
    expect(page.get_by_role("alert")).to_have_text("The code is not right. Check it and try again. Attempts left: 5.")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_accessible_description(re.compile("The code is not right"))
    expect(field).to_be_focused()

    enter(page, upstream.code_for(NUMBER))
    expect(page.get_by_text("Number verified").first).to_be_visible()


def test_too_few_digits_cost_no_attempt(telephone: Telephone, service: RunningVerify, upstream: FakeUpstream) -> None:
    page = telephone.open(service.url)
    to_the_code(page)
    asked_before = len(upstream.calls)

    enter(page, "12345")

    expect(page.get_by_role("alert")).to_have_text("The code has six digits.")
    assert len(upstream.calls) == asked_before


def test_a_pasted_code_may_have_spaces_and_foreign_digits(
    telephone: Telephone, service: RunningVerify, upstream: FakeUpstream
) -> None:
    page = telephone.open(service.url)
    to_the_code(page)
    code = upstream.code_for(NUMBER)
    arabic = "".join(chr(0x0660 + int(digit)) for digit in code)

    enter(page, f" {arabic[:3]} {arabic[3:]} ")

    expect(page.get_by_text("Number verified").first).to_be_visible()


def test_the_field_asks_the_telephone_for_the_code(telephone: Telephone, service: RunningVerify) -> None:
    page = telephone.open(service.url)

    to_the_code(page)

    field = page.get_by_label("Code from the text message")
    expect(field).to_have_attribute("inputmode", "numeric")
    expect(field).to_have_attribute("autocomplete", "one-time-code")
    assert page.locator("input").count() == 1


def test_a_telephone_that_reads_the_message_itself_fills_the_code_in(
    telephone: Telephone, service: RunningVerify, upstream: FakeUpstream
) -> None:
    page = telephone.open("about:blank")
    page.expose_function("code", lambda: upstream.code_for(NUMBER))
    page.add_init_script(
        "window.OTPCredential = class {};"
        "navigator.credentials.get = async ({ otp, signal }) => ({ code: await window.code() });"
    )
    page.goto(service.url)

    page.get_by_label("Phone number").fill(NUMBER)
    page.keyboard.press("Enter")

    expect(page.get_by_text("Number verified").first).to_be_visible()


def test_another_code_can_be_asked_for(telephone: Telephone, service: RunningVerify, upstream: FakeUpstream) -> None:
    page = telephone.open(service.url)
    to_the_code(page)

    page.get_by_role("button", name="Send a new code").click()
    expect(page.get_by_role("status").first).to_have_text("A new code is on its way.")
    enter(page, upstream.code_for(NUMBER))

    assert upstream.sent_messages() == 2
    expect(page.get_by_text("Number verified").first).to_be_visible()


def test_another_code_has_to_be_waited_for(telephone: Telephone, upstream: FakeUpstream, database: str) -> None:
    with run_verify(settings_for(upstream.url, database, resend_after=30)) as service:
        page = open_with_a_clock(telephone, service)
        to_the_code(page)

        expect(page.get_by_role("button", name=re.compile(r"New code in 0:[0-3]\d"))).to_be_disabled()
        page.clock.fast_forward(30_000)
        expect(page.get_by_role("button", name="Send a new code")).to_be_enabled()


def open_with_a_clock(telephone: Telephone, service: RunningVerify) -> Page:
    """Open the page with a clock that the test moves on."""
    page = telephone.open("about:blank")
    page.clock.install()
    page.goto(service.url)
    return page


def test_the_time_left_counts_down_and_its_end_leads_back_to_the_number(
    telephone: Telephone, service: RunningVerify, upstream: FakeUpstream
) -> None:
    upstream.life = timedelta(minutes=2)
    page = open_with_a_clock(telephone, service)

    to_the_code(page)

    expect(page.get_by_role("timer")).to_have_text(re.compile(r"Valid for (2:00|1:[3-5]\d)"))
    page.clock.fast_forward(60_000)
    expect(page.get_by_role("timer")).to_have_text(re.compile(r"Valid for (1:00|0:[3-5]\d)"))
    page.clock.fast_forward(60_000)
    expect(page.get_by_role("alert")).to_have_text("The code has expired. Ask for a new one.")
    expect(page.get_by_label("Phone number")).to_have_value("+420 777 123 456")
    assert page.problems == []


def test_a_code_that_expired_at_the_upstream_leads_back_to_the_number(
    telephone: Telephone, service: RunningVerify, upstream: FakeUpstream
) -> None:
    page = telephone.open(service.url)
    to_the_code(page)
    upstream.expire_all()

    enter(page, "123456")

    expect(page.get_by_role("alert")).to_have_text("This verification is over. Start again.")
    expect(page.get_by_label("Phone number")).to_be_focused()


def test_without_a_connection_the_page_says_so_and_the_same_start_is_tried_again(
    telephone: Telephone, service: RunningVerify, upstream: FakeUpstream
) -> None:
    page = telephone.open(service.url)
    page.context.set_offline(True)
    page.get_by_label("Phone number").fill(NUMBER)
    page.get_by_role("button", name="Send code").click()
    expect(page.get_by_role("alert")).to_have_text("No connection. Check it and try again.")

    page.context.set_offline(False)
    to_the_code(page, NUMBER)

    assert upstream.sent_messages() == 1


def test_a_double_click_sends_one_message(telephone: Telephone, service: RunningVerify, upstream: FakeUpstream) -> None:
    page = telephone.open(service.url)
    page.get_by_label("Phone number").fill(NUMBER)

    page.get_by_role("button", name="Send code").dblclick()

    expect(page.get_by_label("Code from the text message")).to_be_focused()
    assert upstream.sent_messages() == 1


@pytest.mark.parametrize(
    ("locale", "heading", "complaint"),
    [
        ("cs-CZ", "Ověření telefonního čísla", "Na toto číslo nemůžeme poslat zprávu."),
        ("de-AT", "Telefonnummer bestätigen", "An diese Nummer können wir nicht senden."),
    ],
)
def test_the_page_speaks_the_readers_language(
    telephone: Telephone, service: RunningVerify, locale: str, heading: str, complaint: str
) -> None:
    page = telephone.open(service.url, locale=locale)

    page.locator("input").fill("12")
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading")).to_have_text(heading)
    expect(page.get_by_role("alert")).to_contain_text(complaint)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_stand_out_from_their_ground(telephone: Telephone, service: RunningVerify, scheme: str) -> None:
    page = telephone.open(service.url, color_scheme=scheme)
    to_the_code(page)
    enter(page, "123456")
    expect(page.get_by_role("alert")).not_to_be_empty()

    ratios = page.evaluate((Path(__file__).parent / "contrast.js").read_text())

    assert len(ratios) >= 6
    assert {text: ratio for text, ratio in ratios.items() if ratio < 4.5} == {}


def test_nothing_is_wider_than_the_smallest_telephone(telephone: Telephone, service: RunningVerify) -> None:
    page = telephone.open(service.url, viewport={"width": 320, "height": 560})

    to_the_code(page)

    assert page.evaluate("document.documentElement.scrollWidth") == 320
    button = page.get_by_role("button", name="Verify").bounding_box()
    assert button is not None
    assert button["height"] >= 44


def test_without_scripts_the_page_says_what_is_missing(telephone: Telephone, service: RunningVerify) -> None:
    page = telephone.open(service.url, java_script_enabled=False)

    expect(page.get_by_text("This page needs JavaScript")).to_be_visible()
    assert page.locator("input").count() == 0


def test_the_hosted_page_takes_the_result_back_in_the_body_of_a_post(
    telephone: Telephone, upstream: FakeUpstream, database: str
) -> None:
    received: list[tuple[str, str]] = []

    def shop_page(environ, start_response):
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0)).decode()
        received.append((environ["REQUEST_METHOD"] + " " + environ["PATH_INFO"] + environ["QUERY_STRING"], body))
        start_response("200 OK", [("Content-Type", "text/html")])
        return [b"<link rel=icon href=data:,><h1>Back</h1>"]

    with (
        serving(shop_page) as shop,
        run_verify(settings_for(upstream.url, database, origins=origin_of(shop))) as service,
    ):
        page = telephone.open(f"{service.url}/?return={origin_of(shop)}/done&purpose=login")
        to_the_code(page)
        enter(page, upstream.code_for(NUMBER))
        expect(page.get_by_role("heading")).to_have_text("Back")

        (asked, body), *_ = received
        assert asked == "POST /done"
        result = body.removeprefix("result=")
        redeemed = service.back_end().post("/results/redeem", json={"result": result}).json()
        assert (redeemed["phoneNumber"], redeemed["purpose"]) == (NUMBER, "login")


def test_the_hosted_page_returns_to_listed_origins_only(telephone: Telephone, service: RunningVerify) -> None:
    page = telephone.open(f"{service.url}/?return=https://elsewhere.example.com/")

    expect(page.get_by_role("alert")).to_have_text("The address to return to is not allowed.")
    assert page.locator("dovecote-verify").count() == 0


def test_the_element_works_on_a_foreign_page_and_its_back_end_redeems_the_result(
    telephone: Telephone, upstream: FakeUpstream, database: str
) -> None:
    sys.path.insert(0, str(EXAMPLES))
    from shop import create_shop

    with serving() as shop, run_verify(settings_for(upstream.url, database, origins=origin_of(shop))) as service:
        shop.app = create_shop(service.url, SERVICE_KEY)
        # Another origin and another site: cookies of the service don't reach it from here.
        page = telephone.open(origin_of(shop))
        to_the_code(page)
        enter(page, upstream.wrong_code_for(NUMBER))
        expect(page.get_by_role("alert")).to_contain_text("Attempts left: 5")
        enter(page, upstream.code_for(NUMBER))

        expect(page.get_by_text(f"Welcome, +{NUMBER}.")).to_be_visible()
        assert page.context.cookies() == []
        assert page.problems == []


def test_a_page_of_an_unlisted_origin_gets_nowhere(
    telephone: Telephone, upstream: FakeUpstream, service: RunningVerify
) -> None:
    page_of_somebody = (EXAMPLES / "index.html").read_text().replace("http://127.0.0.1:8801", service.url)

    def somebody(_environ, start_response):
        start_response("200 OK", [("Content-Type", "text/html")])
        return [page_of_somebody.encode()]

    with serving(somebody) as other:
        page = telephone.open(origin_of(other))
        page.get_by_label("Phone number").fill(NUMBER)
        page.get_by_role("button", name="Send code").click()

        expect(page.get_by_role("alert")).to_have_text("No connection. Check it and try again.")
    assert upstream.calls == []
