"""Idempotency-Key: the same call again within a day gets the first answer, and nothing happens twice."""

import asyncio
from contextlib import asynccontextmanager, suppress

import orjson
import pytest
from bench import VODAFONE, Bench

from messaging_service.accept.acceptor import Acceptor
from messaging_service.clock import DAY, SECOND
from messaging_service.housekeeping import Housekeeping
from messaging_service.idempotency import identify
from messaging_service.refusals import InvalidRequest, StillRunning, UsedForAnotherCall
from messaging_service.store.tables import idempotency_keys

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def accepting(bench: Bench):
    """Accept calls as one process does."""
    acceptor = Acceptor(bench.store, bench.clock, lambda: None)
    task = asyncio.create_task(acceptor.run())
    yield acceptor
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


async def call(acceptor, key, *, name="the-key", text="Hello"):
    body = orjson.dumps({"to": [{"phone_number": VODAFONE}], "body": text})
    identified = identify(key.id, name, "POST /v2/message", body)
    return await acceptor.accept_message(acceptor.caller(key), body, identified)


async def test_a_repeated_call_gets_the_first_answer_and_sends_nothing(bench: Bench):
    async with accepting(bench) as acceptor:
        first = await call(acceptor, bench.key)

        second = await call(acceptor, bench.key)

    assert second == first
    assert len(bench.messages()) == 1


async def test_calls_with_other_keys_are_other_calls(bench_on_sqlite: Bench):
    async with accepting(bench_on_sqlite) as acceptor:
        first = await call(acceptor, bench_on_sqlite.key)

        second = await call(acceptor, bench_on_sqlite.key, name="another")

    assert second != first
    assert len(bench_on_sqlite.messages()) == 2


async def test_another_body_under_the_same_key_is_refused(bench: Bench):
    async with accepting(bench) as acceptor:
        await call(acceptor, bench.key)

        with pytest.raises(UsedForAnotherCall) as refusal:
            await call(acceptor, bench.key, text="Another")

    assert refusal.value.status == 422
    assert len(bench.messages()) == 1


async def test_a_refused_repeat_does_not_disturb_the_calls_it_was_written_with(bench: Bench):
    async with accepting(bench) as acceptor:
        await call(acceptor, bench.key)

        answers = await asyncio.gather(
            call(acceptor, bench.key, text="Another"),
            call(acceptor, bench.key, name="second"),
            call(acceptor, bench.key, name="third"),
            return_exceptions=True,
        )

    assert isinstance(answers[0], UsedForAnotherCall)
    assert len({orjson.loads(answer)["request_id"] for answer in answers[1:]}) == 2
    assert len(bench.messages()) == 3


async def test_a_repeat_while_the_first_is_running_is_told_to_wait(bench_on_sqlite: Bench):
    async with accepting(bench_on_sqlite) as acceptor:
        first = asyncio.create_task(call(acceptor, bench_on_sqlite.key))
        await asyncio.sleep(0)

        with pytest.raises(StillRunning) as refusal:
            await call(acceptor, bench_on_sqlite.key)
        await first

    assert refusal.value.status == 409


async def test_a_call_whose_caller_went_away_may_be_repeated(bench_on_sqlite: Bench):
    async with accepting(bench_on_sqlite) as acceptor:
        first = asyncio.create_task(call(acceptor, bench_on_sqlite.key))
        await asyncio.sleep(0)
        first.cancel()
        with suppress(asyncio.CancelledError):
            await first

        await call(acceptor, bench_on_sqlite.key)

    assert len(bench_on_sqlite.messages()) == 1


async def test_repeats_that_reach_two_processes_at_once_are_one_call(bench: Bench):
    names = [f"key-{number}" for number in range(20)]
    async with accepting(bench) as one, accepting(bench) as other:
        answers = await asyncio.gather(
            *(call(acceptor, bench.key, name=name) for name in names for acceptor in (one, other))
        )

    assert answers[::2] == answers[1::2]
    assert len(bench.messages()) == len(names)


async def test_a_repeat_after_a_restart_gets_the_first_answer(bench: Bench):
    async with accepting(bench) as acceptor:
        first = await call(acceptor, bench.key)

    async with accepting(bench) as acceptor:
        second = await call(acceptor, bench.key)

    assert second == first
    assert len(bench.messages()) == 1


async def test_answers_are_kept_for_a_day(bench: Bench):
    async with accepting(bench) as acceptor:
        first = await call(acceptor, bench.key)
        bench.clock.move(DAY)
        after_a_day = await call(acceptor, bench.key)
        bench.clock.move(SECOND)
        later = await call(acceptor, bench.key, text="Another")
        again = await call(acceptor, bench.key, text="Another")

    assert after_a_day == first
    assert later != first
    assert again == later
    assert len(bench.messages()) == 2


async def test_expired_answers_are_deleted(bench: Bench):
    async with accepting(bench) as acceptor:
        await call(acceptor, bench.key)
        bench.clock.move(DAY + SECOND)
        await call(acceptor, bench.key, name="young")

    Housekeeping(bench.store, bench.store, bench.clock).tidy()

    assert bench.count(idempotency_keys) == 1


async def test_two_accounts_with_the_same_key_do_not_meet(bench: Bench):
    other = bench.open_account()
    async with accepting(bench) as acceptor:
        first = await call(acceptor, bench.key)

        second = await call(acceptor, other, text="Another")

    assert second != first
    assert [len(bench.messages(key)) for key in (bench.key, other)] == [1, 1]


async def test_a_call_that_was_refused_leaves_its_key_free(bench_on_sqlite: Bench):
    async with accepting(bench_on_sqlite) as acceptor:
        with pytest.raises(InvalidRequest):
            await call(acceptor, bench_on_sqlite.key, text="")

        await call(acceptor, bench_on_sqlite.key)

    assert len(bench_on_sqlite.messages()) == 1
