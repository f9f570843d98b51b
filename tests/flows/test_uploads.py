"""Files, exactly once: whatever happens to an upload, everybody gets one message, with providers of every kind."""

import asyncio
import contextlib
from collections import deque
from dataclasses import replace

import httpx
import pytest
from builders import a_plan, number
from provider import Provider as FakeProvider

from flows import ledger as the_ledger
from flows.ledger import Way, outstanding, plan, take_lease, totals, waiting_in
from flows.provider import Provider
from flows.sending.dispatch import send_batches
from flows.sending.fence import look_before
from flows.sending.following import Follower
from flows.sending.outbox import Outbox
from flows.sending.uploads import file_of
from interface.client import Addresses, AsyncMessagingClient, RetryPolicy
from interface.errors import DovecoteError

RECIPIENTS = 8


class Run:
    """One process's run of one campaign of files; killed and started again by making another."""

    def __init__(self, book, clock, fake):
        self.book, self.clock, self.fake = book, clock, fake
        fake.now = clock
        wanted = a_plan(RECIPIENTS)
        self.campaign = plan(book, replace(wanted, batches=[replace(one, way=Way.BULK) for one in wanted.batches]))

    async def wait(self, seconds):
        self.clock.move(seconds)

    def client(self):
        transport, retries = httpx.ASGITransport(self.fake.app), RetryPolicy(attempts=1)
        client = AsyncMessagingClient(
            "key", Addresses.of("http://fake"), transport=transport, retries=retries, before_each=look_before
        )
        return client, Provider(client, "default", self.fake.honours_idempotency_key, 90.0)

    async def send(self):
        lease = take_lease(self.book, self.campaign.id, f"run at {self.clock()}", 10_000)
        client, provider = self.client()
        async with client:
            outbox = Outbox(lease, self.campaign.settings, provider, sleep=self.wait, in_flight=asyncio.Semaphore(2))
            try:
                await send_batches(outbox, outstanding(self.book, self.campaign.id))
            finally:
                lease.give_back()

    async def follow(self):
        client, provider = self.client()
        async with client:
            await Follower(provider, self.book).look_at_all(self.campaign.id)

    def until_done(self):
        for _ in range(20):
            try:
                asyncio.run(self.send())
            except DovecoteError:
                self.clock.move(1)
            if not outstanding(self.book, self.campaign.id):
                return
        raise AssertionError("never done")


def everybody_once():
    return {number(index): 1 for index in range(RECIPIENTS)}


@pytest.mark.parametrize("fault", ["lose answer", "fail after accepting", "cut", "no connection"])
@pytest.mark.parametrize("honours", [True, False], ids=["refuses a used bulk_id", "known by its lists alone"])
def test_whatever_happens_to_an_upload_everybody_gets_one_message(ledger, clock, fault, honours):
    fake = FakeProvider(honours_idempotency_key=honours, has_upload_status=honours)
    fake.upload_faults = deque(["", fault, fault])
    run = Run(ledger, clock, fake)

    run.until_done()

    assert fake.copies == everybody_once()
    assert totals(ledger, run.campaign.id).by_result == {"accepted": RECIPIENTS}


def test_killed_between_the_address_and_the_file_the_address_is_waited_for(ledger, clock):
    fake = FakeProvider(honours_idempotency_key=True)
    run = Run(ledger, clock, fake)
    first = outstanding(ledger, run.campaign.id)[0]
    fake.uploads[first], fake.addresses_until[first] = "waiting_for_file", clock() + 60
    began = clock()

    run.until_done()

    assert fake.copies == everybody_once()
    assert clock() - began >= 60


class Killed(BaseException):
    """Stands for SIGKILL: nothing catches it, nothing is tidied up."""


@pytest.fixture(params=[True, False], ids=["refuses a used bulk_id", "known by its lists alone"])
def run(request, ledger, clock):
    return Run(ledger, clock, FakeProvider(honours_idempotency_key=request.param, has_upload_status=request.param))


@pytest.mark.parametrize(("step", "moment"), [(s, m) for s in ("claim_all", "record") for m in ("before", "after")])
def test_killed_at_any_step_and_run_again_everybody_gets_one_message(run, monkeypatch, step, moment):
    real = getattr(the_ledger, step)

    def deadly(*args):
        if moment == "after":
            real(*args)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(the_ledger, step, deadly)
        for _ in range(2):
            with contextlib.suppress(Killed):
                asyncio.run(run.send())
            run.clock.move(10_001)

    run.until_done()

    assert run.fake.copies == everybody_once()


def test_the_ids_of_a_files_messages_are_learned_with_their_results(ledger, clock):
    fake = FakeProvider(honours_idempotency_key=True)
    run = Run(ledger, clock, fake)
    run.until_done()

    asyncio.run(run.follow())

    assert totals(ledger, run.campaign.id).by_result == {"delivered": RECIPIENTS}
    assert waiting_in(ledger, [f"{run.campaign.id}-b0001"]) == {f"{run.campaign.id}-b0001": {}}


def test_the_file_of_a_batch_is_the_same_each_time(ledger, clock):
    from flows.ledger import load

    run = Run(ledger, clock, FakeProvider())
    batch = load(ledger, outstanding(ledger, run.campaign.id)[0])

    assert file_of(batch, run.campaign.settings) == file_of(batch, run.campaign.settings)
