"""The virtual phone writes numbers as people do: the country's calling code first."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect
from running_service import RunningService, run_service

from tests.conftest import missing
from tests.verify_service.browsing import CHROMIUM, Telephone, run_chromium

WRITTEN = {
    "420777123456": "+420 777 123 456",
    "4366012345678": "+43 660 123 456 78",
    "4915112345678": "+49 151 123 456 78",
    "48660123456": "+48 660 123 456",
}


@pytest.fixture
def telephone() -> Iterator[Telephone]:
    if CHROMIUM is None:
        missing("Chromium")
    with run_chromium() as chromium:
        opened = Telephone(chromium)
        yield opened
        opened.close()


def test_the_calling_code_stands_apart(tmp_path, telephone: Telephone):
    with run_service(f"sqlite:///{tmp_path}/dovecote.db", tmp_path) as service:
        send_to(service, list(WRITTEN))
        page = telephone.open(f"{service.url}/phone")
        told = page.get_by_text("Hello")
        expect(told).to_have_count(len(WRITTEN))

        shown = page.locator("body").inner_text()

    assert [written for written in WRITTEN.values() if written not in shown] == []


def send_to(service: RunningService, numbers: list[str]) -> None:
    recipients = [{"phone_number": number} for number in numbers]
    told = service.api.post("/v2/message", json={"to": recipients, "body": "Hello", "tag": "transactional"})
    assert told.json()["rejected"] == []
