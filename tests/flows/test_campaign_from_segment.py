"""A campaign to the members of a segment, named by its id or its name; and what is read once."""

import asyncio

import pytest
from builders import SOCKETS_OF_PREFECT
from segment_provider import SegmentProvider
from serving import served

from flows.blocks import MessagingAccount
from flows.campaign import send_campaign
from flows.parameters import Campaign
from flows.problems import RecipientsProblem
from flows.segment_members import members_of
from interface.client import Addresses, AsyncMessagingClient, RetryPolicy

MEMBERS = ["420777000001", "420777000002"]
SEGMENTS = {"S1": ("Spring sale", MEMBERS), "S2": ("Twice", []), "S3": ("twice", ["420777000003"])}


def members(wanted):
    async def ask(address):
        async with AsyncMessagingClient("key", Addresses.of(address), retries=RetryPolicy(attempts=1)) as client:
            return await members_of(client, "demo", "me", wanted)

    with served(SegmentProvider(segments=SEGMENTS).app) as address:
        return asyncio.run(ask(address))


@pytest.mark.parametrize("wanted", ["S1", "Spring sale", "spring SALE "])
def test_a_segment_is_found_by_its_id_or_its_name(wanted):
    assert members(wanted) == MEMBERS


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ("Autumn", "demo has no segment 'Autumn'; it has: Spring sale, Twice, twice"),
        ("twice", "demo has 2 segments of the name 'twice'; give the id"),
        ("S2", "The segment 'Twice' of demo has no members"),
    ],
)
def test_a_segment_that_cannot_be_used_is_one_sentence(wanted, sentence):
    with pytest.raises(RecipientsProblem, match=sentence):
        members(wanted)


@pytest.fixture
def provider(prefect, tmp_path, monkeypatch):  # noqa: ARG001
    monkeypatch.setenv("DOVECOTE_LEDGER", f"sqlite:///{tmp_path / 'ledger.sqlite3'}")
    fake = SegmentProvider(segments={"S1": ("Spring sale", list(MEMBERS))})
    with served(fake.app) as address:
        MessagingAccount(
            api_key="secret-key", messaging_url=f"{address}/v2", rest_url=f"{address}/v1", appears_within_seconds=0
        ).save("segment", overwrite=True)
        yield fake


@SOCKETS_OF_PREFECT
def test_the_members_get_the_text_and_those_who_join_later_are_not_of_this_campaign(provider):
    campaign = Campaign(
        name="Of a segment",
        text="Hello",
        recipients_segment={"connector": "demo", "app_userid": "me", "segment": "Spring sale"},
        account="segment",
        quiet_seconds=1,
    )

    report = asyncio.run(send_campaign(campaign))
    provider.segments["S1"][1].append("420777000009")
    again = asyncio.run(send_campaign(campaign))

    assert provider.copies == dict.fromkeys(MEMBERS, 1)
    assert again == report
