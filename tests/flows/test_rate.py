"""A send rate is kept to: whatever asks for tokens when, no more messages go than a second has room for."""

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from flows.sending.rate import TokenBucket, shared_rate


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


def test_a_rate_is_shared_out_over_the_waves_at_work(ledger):
    from builders import a_plan

    from flows.ledger import CampaignPlan, PlannedWave, plan, take_lease

    one = a_plan()
    campaign = plan(ledger, CampaignPlan(one.name, one.settings, one.batches, (PlannedWave(1), PlannedWave(2))))
    leases = [take_lease(ledger, campaign.id, f"wave {number}", wave=number) for number in (1, 2)]

    async def rate():
        async with shared_rate(leases[0], 50.0) as bucket:
            return bucket.rate

    assert asyncio.run(rate()) == 25.0
    leases[1].give_back()
    assert asyncio.run(rate()) == 50.0


def test_without_a_rate_there_is_no_bucket():
    async def bucket():
        async with shared_rate(None, None) as given:
            return given

    assert asyncio.run(bucket()) is None
