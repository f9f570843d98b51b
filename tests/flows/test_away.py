"""A process that was away in the middle of a call, while another took its campaign over: it sends nothing more."""

import asyncio
from collections import deque
from contextvars import Context

import httpx
import pytest
from builders import a_plan, number
from provider import Provider as FakeProvider
from serving import served

from flows.ledger import LeaseLost, outstanding, plan, take_lease
from flows.provider import Provider
from flows.sending.dispatch import send_batches
from flows.sending.fence import look_before
from flows.sending.outbox import Outbox
from interface.client import Addresses, AsyncMessagingClient, RetryPolicy

RECIPIENTS = 4
AWAY_SECONDS, APPEARS_WITHIN = 200, 90.0


class Campaign:
    """One campaign at a provider that knows no keys; ``sent_by`` any process that holds its lease."""

    def __init__(self, ledger, clock, address):
        self.ledger, self.clock, self.address = ledger, clock, address
        self.planned = plan(ledger, a_plan(RECIPIENTS))

    async def sent_by(self, owner, **client):
        lease = take_lease(self.ledger, self.planned.id, owner)
        retries = RetryPolicy(attempts=2, jitter=lambda: 0.0)
        async with AsyncMessagingClient(
            "key", Addresses.of(self.address), retries=retries, before_each=look_before, **client
        ) as made:
            outbox = Outbox(lease, self.planned.settings, Provider(made, "default", False, APPEARS_WITHIN))
            await send_batches(outbox, outstanding(self.ledger, self.planned.id))

    async def is_taken_over(self):
        """Time passes, the lease ends, and another process sends."""
        self.clock.move(AWAY_SECONDS)
        await asyncio.create_task(self.sent_by("another"), context=Context())


@pytest.fixture
def fake(clock):
    return FakeProvider(now=clock)


@pytest.fixture
def campaign(ledger, clock, fake):
    with served(fake.app) as address:
        yield Campaign(ledger, clock, address)


def once(happen):
    """``happen``, the first time it is called."""
    left = [happen]

    async def happen_once():
        if left:
            await left.pop()()

    return happen_once


def test_a_call_is_not_tried_again_when_another_process_has_taken_over_meanwhile(campaign, fake):
    fake.faults = deque(["throttle"] * 2)
    away = once(campaign.is_taken_over)

    with pytest.raises(LeaseLost):
        asyncio.run(campaign.sent_by("one", sleep=lambda _: away()))

    assert fake.copies == {number(index): 1 for index in range(RECIPIENTS)}


def test_a_call_that_waited_for_its_connection_does_not_go_when_another_process_has_taken_over_meanwhile(
    campaign, fake
):
    away = once(campaign.is_taken_over)

    class SlowToConnect(httpx.AsyncHTTPTransport):
        async def handle_async_request(self, request):
            await away()
            return await super().handle_async_request(request)

    with pytest.raises(LeaseLost):
        asyncio.run(campaign.sent_by("one", transport=SlowToConnect()))

    assert fake.copies == {number(index): 1 for index in range(RECIPIENTS)}
