"""Nothing twice, nothing lost: what can happen to a call, with providers of every kind, on both databases."""

import asyncio
import contextlib
from collections import deque

import httpx
import pytest
from builders import a_plan, number
from provider import Provider as FakeProvider

from flows import ledger as the_ledger
from flows.ledger import Cancelled, LeaseLost, batch_states, cancel, load, outstanding, plan, take_lease, totals
from flows.provider import Provider
from flows.sending.dispatch import send_batches
from flows.sending.fence import look_before
from flows.sending.outbox import Outbox
from interface.client import Addresses, AsyncMessagingClient, RetryPolicy
from interface.errors import DovecoteError, Invalid

RECIPIENTS = 8
APPEARS_WITHIN = 90.0


class Run:
    """One process's run of one campaign; killed and started again by making another."""

    def __init__(self, book, clock, fake, name="Spring sale"):
        self.book, self.clock, self.fake = book, clock, fake
        fake.now = clock
        self.campaign = plan(book, a_plan(RECIPIENTS, name))

    async def wait(self, seconds):
        self.clock.move(seconds)

    async def send(self):
        transport = httpx.ASGITransport(self.fake.app)
        lease = take_lease(self.book, self.campaign.id, f"run at {self.clock()}", 10_000)
        retries = RetryPolicy(attempts=1)
        async with AsyncMessagingClient(
            "key", Addresses.of("http://fake"), transport=transport, retries=retries, before_each=look_before
        ) as client:
            provider = Provider(client, "default", self.fake.honours_idempotency_key, APPEARS_WITHIN)
            outbox = Outbox(lease, self.campaign.settings, provider, sleep=self.wait, in_flight=asyncio.Semaphore(2))
            try:
                await send_batches(outbox, outstanding(self.book, self.campaign.id))
            except DovecoteError:
                lease.give_back()
                raise

    def until_done(self):
        """Run again after each failure, as Prefect or a person does, until nothing is outstanding."""
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


FAULTS = ["lose answer", "fail after accepting", "unavailable", "throttle", "no connection"]
FAULTS_WITHOUT_KEYS = [*FAULTS, "lose answer of half", "leave out first"]
"""A provider that honours keys takes or leaves a call as a whole."""


@pytest.mark.parametrize("fault", FAULTS)
def test_with_keys_whatever_happens_to_a_call_everybody_gets_one_message(ledger, clock, fault):
    fake = FakeProvider(honours_idempotency_key=True, faults=deque(["", fault, fault]))

    Run(ledger, clock, fake).until_done()

    assert fake.copies == everybody_once()


@pytest.mark.parametrize("fault", FAULTS_WITHOUT_KEYS)
def test_without_keys_whatever_happens_to_a_call_everybody_gets_one_message(ledger, clock, fault):
    fake = FakeProvider(faults=deque(["", fault, fault]))

    Run(ledger, clock, fake).until_done()

    assert fake.copies == everybody_once()


def test_what_is_always_left_out_of_the_answer_is_refused_in_the_end_and_nobody_gets_two(ledger, clock):
    fake = FakeProvider(faults=deque(["leave out first"] * 40))
    run = Run(ledger, clock, fake)

    run.until_done()

    assert set(fake.copies.values()) == {1}
    counted = totals(ledger, run.campaign.id)
    assert counted.count("accepted") == fake.copies.total()
    assert counted.count("refused") == RECIPIENTS - fake.copies.total()


def test_a_list_that_lags_behind_is_asked_again_before_anything_is_repeated(ledger, clock):
    fake = FakeProvider(faults=deque(["lose answer"]), looks_until_listed=1)

    Run(ledger, clock, fake).until_done()

    assert fake.copies == everybody_once()


def test_a_batch_accepted_after_midnight_is_found_on_the_next_date(ledger, clock):
    fake = FakeProvider(faults=deque(["lose answer"]))
    clock.move(86_400 - clock() % 86_400 - 5)
    run = Run(ledger, clock, fake)
    fake.now = lambda: clock() + 60

    run.until_done()

    assert fake.copies == everybody_once()


class Killed(BaseException):
    """Stands for SIGKILL: nothing catches it, nothing is tidied up."""


STEPS = ["claim_all", "claim_again", "record", "settle"]


@pytest.fixture(params=[True, False], ids=["honours keys", "knows no keys"])
def run(request, ledger, clock):
    faults = deque(["", "throttle", "lose answer", "fail after accepting"])
    return Run(ledger, clock, FakeProvider(honours_idempotency_key=request.param, faults=faults))


@pytest.mark.parametrize(("step", "moment"), [(step, moment) for step in STEPS for moment in ("before", "after")])
def test_killed_at_any_step_and_run_again_everybody_gets_one_message(run, monkeypatch, step, moment):
    real = getattr(the_ledger, step)

    def deadly(*args):
        if moment == "after":
            real(*args)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(the_ledger, step, deadly)
        for _ in range(2):
            with contextlib.suppress(Killed, DovecoteError):
                asyncio.run(run.send())
            run.clock.move(10_001)

    run.until_done()

    assert run.fake.copies == everybody_once()
    assert totals(run.book, run.campaign.id).by_result == {"accepted": RECIPIENTS}


def test_a_key_that_the_provider_may_have_forgotten_is_looked_up_instead(ledger, clock):
    fake = FakeProvider(honours_idempotency_key=True, faults=deque(["lose answer"]))
    run = Run(ledger, clock, fake)
    with pytest.raises(DovecoteError):
        asyncio.run(run.send())
    fake.answers.clear()
    clock.move(25 * 3600)

    run.until_done()

    assert fake.copies == everybody_once()


def test_a_refused_call_stops_the_campaign_and_leaves_nothing_in_doubt(ledger, clock):
    fake = FakeProvider(faults=deque(["invalid"] * 5))
    run = Run(ledger, clock, fake)

    with pytest.raises(Invalid, match="sender is not allowed"):
        asyncio.run(run.send())

    assert fake.calls["send"] <= 2
    assert plan(ledger, a_plan(RECIPIENTS)).id == run.campaign.id


def test_a_message_that_is_rejected_in_phase_1_is_not_repeated(ledger, clock):
    fake = FakeProvider(faults=deque(["reject first"]))
    run = Run(ledger, clock, fake)

    run.until_done()

    assert totals(ledger, run.campaign.id).by_reason == {"body is not allowed.": 1}
    assert sum(fake.copies.values()) == RECIPIENTS - 1


class Slow(FakeProvider):
    """Each call takes long."""

    async def take(self, request):
        self.now.move(5)
        return await super().take(request)


def test_a_call_that_waited_for_its_turn_counts_from_when_it_begins(ledger, clock):
    run = Run(ledger, clock, Slow(now=clock))
    begun = clock()

    asyncio.run(run.send())

    claimed = [load(ledger, f"{run.campaign.id}-b{position:04}").claimed_at - begun for position in range(1, 5)]
    assert run.fake.copies == everybody_once()
    assert max(claimed) >= 5


def test_calls_that_have_not_begun_when_the_campaign_is_cancelled_are_not_made(ledger, clock):
    class Cancelling(Slow):
        async def take(self, request):
            cancel(ledger, run.campaign.id)
            return await super().take(request)

    run = Run(ledger, clock, Cancelling(now=clock))

    with pytest.raises(Cancelled):
        asyncio.run(run.send())

    assert run.fake.calls["send"] <= 2
    assert batch_states(ledger, run.campaign.id) == {
        "answered": run.fake.calls["send"],
        "planned": 4 - run.fake.calls["send"],
    }


def test_a_process_that_lost_its_lease_sends_nothing_more(ledger, clock):
    fake = FakeProvider()
    run = Run(ledger, clock, fake)

    async def sends_late():
        transport = httpx.ASGITransport(fake.app)
        lease = take_lease(ledger, run.campaign.id, "me")
        clock.move(20_000)
        take_lease(ledger, run.campaign.id, "another")
        async with AsyncMessagingClient("key", Addresses.of("http://fake"), transport=transport) as client:
            outbox = Outbox(lease, run.campaign.settings, Provider(client))
            await send_batches(outbox, outstanding(ledger, run.campaign.id))

    with pytest.raises(LeaseLost):
        asyncio.run(sends_late())
    assert fake.sent == []
