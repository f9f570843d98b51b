"""``sync_segment`` and ``roll_up_statistics`` on the messaging service itself, with its connector ``demo``."""

import asyncio

import httpx
import pytest
from builders import SOCKETS_OF_PREFECT
from service_program import KEY

from flows.blocks import MessagingAccount
from flows.parameters import Segment
from flows.rollups.periods import LastDays
from flows.rollups.roll_up import Statistics
from flows.segments import sync_segment
from flows.statistics import roll_up_statistics
from flows.syncing import SegmentSync

pytestmark = SOCKETS_OF_PREFECT


@pytest.fixture
def platform(tmp_path, monkeypatch):
    """The folder of segments that the service's connector shows; before the service starts."""
    folder = tmp_path / "segments"
    folder.mkdir()
    monkeypatch.setenv("DOVECOTE_DEMO_SEGMENTS", str(folder))
    monkeypatch.setenv("DOVECOTE_LEDGER", f"sqlite:///{tmp_path / 'ledger.sqlite3'}")
    return folder


def keep(platform, *numbers):
    (platform / "newsletter.csv").write_text("\n".join(["phone", *numbers]))


def sync():
    wanted = SegmentSync(
        name="welcome",
        segment=Segment(connector="demo", app_userid="me", segment="Newsletter"),
        text="Welcome",
        account="with-segments",
        quiet_seconds=6,
    )
    return asyncio.run(sync_segment(wanted))


@pytest.mark.usefixtures("prefect")
def test_members_are_welcomed_once_without_those_who_opted_out_and_it_shows_in_the_statistics(platform, service):
    MessagingAccount(
        api_key=KEY, messaging_url=f"{service}/v2", rest_url=f"{service}/v1", honours_idempotency_key=True
    ).save("with-segments", overwrite=True)
    opted_out = {"to": "420777000003"}
    httpx.post(f"{service}/v1/optout", json=opted_out, headers={"x-api-key": KEY}).raise_for_status()

    keep(platform, "777000001", "777000003", "777009001")
    first = sync()
    keep(platform, "777000001", "777000002", "777000003", "777009001")
    second = sync()
    counted = asyncio.run(roll_up_statistics(Statistics(account="with-segments", dates=LastDays(last_days=2))))

    assert (first.members, first.suppressed, first.chosen) == (3, 1, 2)
    assert (first.campaign.delivered, first.campaign.undelivered) == (1, 1)
    assert (second.joined, second.chosen, second.campaign.delivered) == (1, 1, 1)
    assert (counted.period.sent, counted.period.delivered, counted.period.nondelivered) == (3, 2, 1)
