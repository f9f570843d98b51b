"""Every kind of task waits as long as a provider's Retry-After asks, beyond what the client waits by itself."""

import asyncio
from contextlib import asynccontextmanager

import httpx
import pytest
from builders import SOCKETS_OF_PREFECT, a_plan
from prefect import flow
from provider import Provider as FakeProvider

from flows.ledger import open_ledger, outstanding, plan, take_lease, totals
from flows.provider import Provider
from flows.sending.dispatch import send_batches
from flows.sending.following import Follower
from flows.sending.outbox import Outbox
from flows.tasks.credit import read_credit
from flows.tasks.following import Patience, follow_results
from flows.tasks.sending import send_some
from interface.client import Addresses, AsyncMessagingClient
from interface.errors import TooManyRequests

pytestmark = SOCKETS_OF_PREFECT


class BusyAtFirst(httpx.AsyncBaseTransport):
    """Refuses the first call of a path and asks for patience; hands everything else on."""

    def __init__(self, app, path, status, seconds):
        self.behind, self.path, self.status, self.seconds = httpx.ASGITransport(app), path, status, seconds

    async def handle_async_request(self, request):
        if request.url.path != self.path:
            return await self.behind.handle_async_request(request)
        self.path = None
        return httpx.Response(self.status, headers={"retry-after": str(self.seconds)}, json={"message": "Not now"})


@pytest.fixture
def book(tmp_path):
    opened = open_ledger(f"sqlite:///{tmp_path / 'ledger.sqlite3'}")
    yield opened
    opened.close()


@pytest.fixture
def outbox_to(prefect, book):  # noqa: ARG001  (where the tasks run)
    @asynccontextmanager
    async def opened(path, status, seconds):
        behind = FakeProvider(credit_czk="100", honours_idempotency_key=True)
        transport = BusyAtFirst(behind.app, path, status, seconds)
        async with AsyncMessagingClient("key", Addresses.of("http://fake"), transport=transport) as client:
            campaign = plan(book, a_plan())
            provider = Provider(client, honours_idempotency_key=True)
            yield Outbox(take_lease(book, campaign.id, "me"), campaign.settings, provider)

    return opened


@pytest.fixture
def waits(monkeypatch):
    """The seconds that tasks wait before they are tried again; none of them pass."""
    waited = []

    async def sleep(seconds):
        waited.append(seconds)

    monkeypatch.setattr("flows.retrying.sleep", sleep)
    return waited


def at_once(task, **options):
    """Try again without the pause that is Prefect's."""
    return task.with_options(retry_delay_seconds=0, **options)


def batches(outbox):
    return outstanding(outbox.ledger, outbox.lease.campaign_id)


async def ask(outbox):
    assert (await at_once(read_credit)(outbox.provider, 0.0)).amount == 100_000_000


async def send(outbox):
    await at_once(send_some)(outbox, batches(outbox))
    assert not batches(outbox)


async def follow(outbox):
    campaign_id = outbox.lease.campaign_id
    await send_batches(outbox, batches(outbox))
    await at_once(follow_results)(Follower(outbox.provider, outbox.ledger), campaign_id, Patience(60, 60))
    assert totals(outbox.ledger, campaign_id).by_result == {"delivered": 4}


PATHS = {ask: "/v1/credit", send: "/v2/messages", follow: "/v1/requests"}


@pytest.mark.parametrize(("status", "asked", "waited"), [(429, 120, 120), (429, 86_400, 300), (503, 120, 120)])
@pytest.mark.parametrize("work", PATHS)
def test_a_task_waits_as_long_as_told_and_at_most_five_minutes(  # noqa: PLR0913, PLR0917
    outbox_to, waits, work, status, asked, waited
):
    @flow(persist_result=False)
    async def work_once():
        async with outbox_to(PATHS[work], status, asked) as outbox:
            await work(outbox)

    asyncio.run(work_once())

    assert waits == [waited]


def test_a_task_that_is_not_tried_again_does_not_wait(outbox_to, waits):
    @flow(persist_result=False)
    async def send_without_retries():
        async with outbox_to(PATHS[send], 429, 120) as outbox:
            await at_once(send_some, retries=0)(outbox, batches(outbox))

    with pytest.raises(TooManyRequests):
        asyncio.run(send_without_retries())

    assert waits == []
