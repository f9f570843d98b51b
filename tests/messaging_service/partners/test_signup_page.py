"""A customer confirms a signup in a real browser."""

import pytest
from playwright.sync_api import expect

from tests.conftest import missing
from tests.verify_service.browsing import CHROMIUM, run_chromium


@pytest.fixture(scope="module")
def chromium():
    if CHROMIUM is None:
        missing("Chromium")
    with run_chromium() as launched:
        yield launched


def test_a_person_opens_an_account_and_goes_back(chromium, service_on_sqlite):
    back = f"{service_on_sqlite.url}/docs?back"
    customer = {"name": "Obchod", "app_userid": "in-a-browser", "return_url": back}
    begun = service_on_sqlite.api.post("/v1/partner/signup", json=customer).json()
    page = chromium.new_page(locale="sk-SK")
    problems = []
    page.on("console", lambda message: problems.append(message.text))

    page.goto(begun["redirect_url"])
    expect(page.get_by_text("First account chce založiť účet pre: Obchod")).to_be_visible()
    page.get_by_role("button", name="Založiť účet").click()
    expect(page.get_by_text("Účet je založený.")).to_be_visible()
    confirmed = list(problems)
    page.get_by_role("link", name="Pokračovať").click()
    page.wait_for_url(back)

    children = service_on_sqlite.api.get("/v1/apikey/list").json()["list"]
    assert "in-a-browser" in [child["app_userid"] for child in children]
    assert confirmed == []
    page.close()
