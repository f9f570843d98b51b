"""One process at a time works on a campaign, and a living one keeps its lease."""

import asyncio
import time

import pytest
from builders import a_plan

from flows.ledger import LeaseTaken, open_ledger, plan, take_lease
from flows.sending.work import held


@pytest.fixture
def campaign_id(ledger):
    return plan(ledger, a_plan()).id


@pytest.fixture
def book(ledger, ledger_address):  # noqa: ARG001  (made before)
    opened = open_ledger(ledger_address, time.time)
    yield opened
    opened.close()


def test_a_living_process_keeps_its_lease_beyond_its_span(book, campaign_id):
    async def work():
        async with held(book, campaign_id, 3):
            await asyncio.sleep(4)
            with pytest.raises(LeaseTaken):
                take_lease(book, campaign_id, "another")

    asyncio.run(work())


def test_the_lease_of_a_killed_process_is_waited_for(book, campaign_id):
    take_lease(book, campaign_id, "killed", 0.5)

    async def work():
        async with held(book, campaign_id, 0.5) as lease:
            return lease.owner

    assert asyncio.run(work()) != "killed"


def test_a_campaign_that_another_process_keeps_is_refused_after_a_while(book, campaign_id):
    take_lease(book, campaign_id, "another", 60)

    async def work():
        async with held(book, campaign_id, 0.1):
            pass

    with pytest.raises(LeaseTaken, match="Another run"):
        asyncio.run(work())


def test_a_lease_is_given_back_at_the_end(book, campaign_id):
    async def work():
        async with held(book, campaign_id):
            pass

    asyncio.run(work())

    assert take_lease(book, campaign_id, "next").owner == "next"
