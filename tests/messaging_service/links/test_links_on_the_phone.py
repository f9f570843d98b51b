"""A person follows a short link on the virtual phone and is counted."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from running_service import RunningService, run_service

from tests.conftest import missing
from tests.verify_service.browsing import CHROMIUM, Telephone, run_chromium

AGENT = "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/126.0 Mobile Safari/537.36"


@pytest.fixture
def telephone() -> Iterator[Telephone]:
    if CHROMIUM is None:
        missing("Chromium")
    with run_chromium() as chromium:
        opened = Telephone(chromium)
        yield opened
        opened.close()


@pytest.fixture
def reached_service(tmp_path: Path) -> Iterator[RunningService]:
    """A service that puts the address into short links under which the browser reaches it."""
    url = f"sqlite:///{tmp_path}/dovecote.db"
    with run_service(url, tmp_path) as running:
        yield running


def test_a_person_follows_a_link_on_the_phone(reached_service: RunningService, telephone: Telephone):
    target, domain = f"{reached_service.url}/healthz", reached_service.url.removeprefix("http://")
    message = {"to": [{"phone_number": "420777123456"}], "body": f"Look: {target}. Bye", "tag": "transactional"}
    message |= {"params": {"_url": {"domain": domain}}}
    told = reached_service.api.post("/v2/message", json=message).json()
    page = telephone.open(f"{reached_service.url}/phone#420777123456", user_agent=AGENT)

    link = page.locator(".text a")
    text = page.locator(".text").inner_text()
    address = link.get_attribute("href")

    assert text == f"Look: {address}. Bye"
    assert address.startswith(f"https://{domain}/l/")
    assert page.problems == []
    with page.context.expect_page() as opened:
        link.evaluate("(link) => { link.href = link.href.replace('https:', 'http:'); link.click(); }")
    opened.value.wait_for_url(target)
    status = reached_service.api.get("/v1/message", params={"id": told["accepted"][0]["message_id"]}).json()
    assert status["message"]["ts_clicked"] is not None
