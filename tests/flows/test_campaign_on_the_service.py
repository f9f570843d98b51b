"""``send_campaign`` on the messaging service itself: what the simulated operator does comes back as a report."""

import asyncio
from pathlib import Path

import httpx
import pytest
from builders import SOCKETS_OF_PREFECT
from service_program import KEY

from flows.blocks import MessagingAccount
from flows.campaign import send_campaign
from flows.parameters import Campaign

pytestmark = SOCKETS_OF_PREFECT

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.usefixtures("prefect")
@pytest.mark.parametrize("bulk_from", [0, 100], ids=["as calls", "as a file"])
def test_the_example_campaign_comes_back_as_a_report(service, monkeypatch, tmp_path, bulk_from):
    monkeypatch.setenv("DOVECOTE_LEDGER", f"sqlite:///{tmp_path / 'ledger.sqlite3'}")
    opted_out = (EXAMPLES / "opted-out.txt").read_text()
    httpx.post(f"{service}/v1/optout", json={"to": opted_out}, headers={"x-api-key": KEY}).raise_for_status()
    MessagingAccount(
        api_key=KEY, messaging_url=f"{service}/v2", rest_url=f"{service}/v1", honours_idempotency_key=True
    ).save("service", overwrite=True)
    campaign = Campaign(
        name="Examples",
        text="Hello {name}, our shop in {city} opens on Monday.",
        recipients_file=str(EXAMPLES / "recipients.csv"),
        account="service",
        bulk_from=bulk_from,
        quiet_seconds=6,
    )

    report = asyncio.run(send_campaign(campaign))

    assert (report.lines, report.malformed, report.duplicates, report.recipients) == (500, 10, 14, 476)
    assert report.rejected == {"[304] Phone number is blacklisted or opted out": 12}
    assert (report.delivered, report.undelivered, report.without_receipt, report.waiting) == (451, 9, 4, 0)
    assert float(report.price_czk) > float(report.price_eur) > 0
