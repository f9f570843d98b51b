import asyncio

import pytest
from builders import SOCKETS_OF_PREFECT
from prefect import flow

from flows.tasks.kinds import call, step

pytestmark = SOCKETS_OF_PREFECT


class Watched(list):
    """Counts how often somebody looks through it."""

    looks = 0

    def __iter__(self):
        self.looks += 1
        return super().__iter__()


@pytest.mark.usefixtures("prefect")
@pytest.mark.parametrize("kind", [step, call])
def test_a_task_takes_a_large_argument_as_it_is(kind):
    @kind("take")
    async def take(first, *, second):
        return first, second

    watched = Watched([1, 2, 3])

    @flow(persist_result=False)
    async def hand_over():
        first, second = await take(watched, second=watched)
        return first is second is watched

    assert asyncio.run(hand_over())
    assert watched.looks == 0
