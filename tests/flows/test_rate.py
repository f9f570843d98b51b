"""A send rate is kept to: whatever asks for tokens when, no more messages go than a second has room for."""

import asyncio
from operator import itemgetter

import pytest
from builders import a_plan
from hypothesis import given
from hypothesis import strategies as st

from flows.ledger import CampaignPlan, PlannedWave, plan, take_lease
from flows.sending.rate import SHARED_OUT_EVERY_SECONDS, TokenBucket, shared_rate


class Waiting:
    """A clock that moves when somebody sleeps."""

    def __init__(self):
        self.seconds = 100.0

    def __call__(self):
        return self.seconds

    async def sleep(self, seconds):
        self.seconds += seconds


@given(
    st.floats(0.1, 1000),
    st.lists(st.tuples(st.integers(1, 100), st.floats(0, 10)), min_size=1, max_size=30),
)
def test_messages_go_no_faster_than_the_rate_whatever_pauses_there_are(rate, asked):
    clock = Waiting()
    bucket = TokenBucket(rate, clock, clock.sleep)
    went = []

    async def take_all():
        for tokens, pause in asked:
            clock.seconds += pause
            await bucket.take(tokens)
            went.append((clock.seconds, tokens))

    asyncio.run(take_all())

    for first, (start, _) in enumerate(went):
        for end, _ in went[first:]:
            before_the_last = sum(tokens for at, tokens in went[first:] if at < end)
            assert before_the_last <= rate * (end - start) * (1 + 1e-9) + 1e-6


class SharedTime:
    """Moves on when all who are there sleep."""

    def __init__(self, there):
        self.seconds = 100.0
        self.there = there
        self._asleep = []

    def __call__(self):
        return self.seconds

    async def sleep(self, seconds):
        woken = asyncio.get_running_loop().create_future()
        self._asleep.append((self.seconds + seconds, woken))
        self._move_on()
        await woken

    def leave(self, how_many):
        self.there -= how_many
        self._move_on()

    def _move_on(self):
        self._asleep = [each for each in self._asleep if not each[1].done()]
        if self._asleep and len(self._asleep) == self.there:
            self.seconds, woken = min(self._asleep, key=itemgetter(0))
            woken.set_result(None)


def test_a_rate_that_falls_holds_for_those_who_wait_already():
    async def went():
        shared = SharedTime(2)  # whoever is next, and who changes the rate
        bucket = TokenBucket(10.0, shared, shared.sleep)
        moments = []

        async def take():
            await bucket.take(10)
            moments.append(shared())

        async def fall():
            await shared.sleep(0.5)
            bucket.rate = 5.0
            shared.leave(1)

        await asyncio.gather(take(), take(), take(), take(), fall())
        return moments

    assert asyncio.run(went()) == [100.0, 101.0, 103.0, 105.0]


RATE, GROUP = 50.0, 10


class WavesAtWork:
    """Sends waves of one campaign at once, in groups; ``went`` are their moments, by wave."""

    def __init__(self, ledger, waves):
        one = a_plan()
        planned = tuple(PlannedWave(number) for number in range(1, waves + 1))
        self.ledger, self.time, self.went = ledger, SharedTime(waves), []
        self.campaign = plan(ledger, CampaignPlan(one.name, one.settings, one.batches, planned))

    async def send(self, number, begins_after, groups):
        await self.time.sleep(begins_after)
        lease = take_lease(self.ledger, self.campaign.id, f"process {number}", wave=number)
        self.time.there += 1  # who shares the rate out
        async with shared_rate(lease, RATE, self.time, self.time.sleep) as bucket:
            for _ in range(groups):
                await bucket.take(GROUP)
                self.went.append((self.time(), number))
        lease.give_back()
        self.time.leave(2)


@pytest.mark.parametrize("begins_after", [0, 0.5, 3.9, 8])
def test_two_waves_at_work_keep_the_rate_together_and_who_is_left_has_all_of_it(ledger, begins_after):
    waves = WavesAtWork(ledger, 2)

    async def send_both():
        await asyncio.gather(waves.send(1, 0, 200), waves.send(2, begins_after, 50))

    asyncio.run(send_both())

    moments = [at for at, _ in waves.went]
    for first, start in enumerate(moments):
        for last, end in enumerate(moments[first:]):
            # Before the last ones of either wave.
            assert (last - 1) * GROUP <= RATE * (end - start) + 1e-6
    second_ended = max(at for at, wave in waves.went if wave == 2)
    alone = [at for at in moments if at > second_ended + SHARED_OUT_EVERY_SECONDS + GROUP / RATE]
    assert len(alone) > 20
    assert alone[-1] - alone[0] == pytest.approx((len(alone) - 1) * GROUP / RATE)


def test_without_a_rate_there_is_no_bucket():
    async def bucket():
        async with shared_rate(None, None) as given:
            return given

    assert asyncio.run(bucket()) is None
