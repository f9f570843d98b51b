"""A worker may die at any moment: each message reaches its operator once, is charged once and counted once."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from bench import OTHER_CZECH, RULES, Bench, without_repeats

from interface.results import Result
from messaging_service.accounts.money import UNIT
from messaging_service.channels.channel import Answer, Receipt, Taken
from messaging_service.clock import SECOND
from messaging_service.process import hand_over, phase_two
from messaging_service.process.phase_two import LEASE
from messaging_service.process.worker import BATCHES_UNDER_WAY, Worker
from messaging_service.running.supervision import running
from messaging_service.store import messages
from messaging_service.store.tables import messages as message_table

pytestmark = pytest.mark.anyio
NUMBERS = [f"4206011200{number:02}" for number in range(5)]


class Dies(BaseException):
    """Nothing after it happens: what SIGKILL looks like from inside."""


def test_a_worker_that_dies_before_it_has_decided_leaves_no_trace(bench: Bench, monkeypatch):
    bench.accept(*NUMBERS)
    record = phase_two.record
    monkeypatch.setattr(phase_two, "record", lambda *given: (record(*given), _die()))
    with pytest.raises(Dies):
        bench.decide()
    monkeypatch.setattr(phase_two, "record", record)

    assert bench.balance() == 1000 * UNIT
    bench.run_for(seconds=2)

    assert_all_once(bench)


def test_a_worker_that_dies_before_it_hands_over_is_replaced_when_its_lease_ends(bench: Bench):
    bench.accept(*NUMBERS)
    bench.decide()

    bench.run_for(seconds=30)
    waiting = bench.taken()
    bench.clock.move(LEASE)
    bench.run_for(seconds=2)

    assert waiting == []
    assert_all_once(bench)


def test_a_worker_that_dies_before_it_records_the_answers_sends_nothing_twice(bench: Bench):
    bench.accept(*NUMBERS)
    batch = bench.decide()
    asyncio.run(bench.operator.submit([phase_two.submission(message) for message in batch.outgoing]))

    bench.clock.move(LEASE)
    bench.run_for(seconds=2)

    assert_all_once(bench)


def test_a_receipt_may_come_before_the_answer_is_recorded(bench: Bench):
    bench.accept(*NUMBERS)
    batch = bench.decide()
    asyncio.run(bench.operator.submit([phase_two.submission(message) for message in batch.outgoing]))
    bench.clock.move(SECOND)
    bench.receive()

    bench.clock.move(LEASE)
    bench.run_for(seconds=2)

    assert_all_once(bench)


def test_a_worker_that_dies_while_it_records_receipts_gets_them_again(bench: Bench):
    bench.accept(*NUMBERS)
    bench.send()
    bench.clock.move(SECOND)

    async def record_and_die(receipts):
        bench.tracker.record(receipts)
        _die()

    with pytest.raises(Dies):
        asyncio.run(bench.open_operator(record_and_die).send_due_receipts())
    bench.run_for(seconds=35)

    assert_all_once(bench)


def test_a_worker_that_dies_in_the_transaction_that_records_receipts_gets_them_again(bench: Bench):
    bench.accept(*NUMBERS)
    bench.send()
    bench.clock.move(SECOND)

    with pytest.raises(Dies):
        asyncio.run(bench.open_operator(_dying).send_due_receipts())
    before = [message.state for message in bench.messages()]
    bench.run_for(seconds=35)

    assert set(before) == {Result.SENT}
    assert_all_once(bench)


def assert_all_once(bench):
    found = bench.messages()
    assert {message.state for message in found} == {Result.DELIVERED}
    assert sorted(bench.taken()) == sorted(message.message_id for message in found)
    assert bench.balance() == (1000 - len(NUMBERS)) * UNIT
    assert bench.statistics() == bench.recount()
    assert list(bench.networks().values()) == [len(NUMBERS)]
    told = [event["message_id"] + event["result"] for event in bench.notifications()]
    assert len(told) == len(set(told))


class ForgetfulOperator:
    """A network that takes every message, as often as it is handed over, and then the line goes dead."""

    recognises_repeats = False

    def __init__(self) -> None:
        self.took: list[str] = []
        self.answers = False

    async def submit(self, submissions):
        self.took += [submission.message_id for submission in submissions]
        if not self.answers:
            raise ConnectionError("no answer")
        return [Answer(Taken.YES) for _ in submissions]


def test_what_is_in_doubt_is_held_where_repeats_are_not_recognised(bench: Bench):
    (message_id,) = bench.accept(OTHER_CZECH)
    operator = ForgetfulOperator()
    bench.hand_over = bench.hand_over_to(operator)
    bench.submit(bench.decide(rules=without_repeats()))

    operator.answers = True
    for _ in range(3):
        bench.clock.move(LEASE)
        bench.submit(bench.decide(rules=without_repeats()))

    message = bench.message(message_id)
    assert (message.state, message.in_doubt, message.due_at) == (Result.SENDING, True, None)
    assert operator.took == [message_id]
    assert bench.balance() == 999 * UNIT


async def test_an_operator_that_does_not_answer_leaves_messages_in_doubt(bench_on_sqlite: Bench, monkeypatch):
    monkeypatch.setattr(hand_over, "ANSWER_WITHIN_SECONDS", 0.01)
    (message_id,) = bench_on_sqlite.accept(OTHER_CZECH)
    batch = bench_on_sqlite.decide()

    async with asyncio.timeout(5):
        await bench_on_sqlite.hand_over_to(SilentOperator()).submit(batch.outgoing)

    message = bench_on_sqlite.message(message_id)
    assert (message.state, message.in_doubt) == (Result.SENDING, True)


class SilentOperator:
    """A line that is open and dead."""

    recognises_repeats = False

    async def submit(self, _submissions):
        await asyncio.Event().wait()


def test_a_held_message_still_hears_its_receipt(bench_on_sqlite: Bench):
    bench = bench_on_sqlite
    (message_id,) = bench.accept(OTHER_CZECH)
    bench.decide(rules=without_repeats())
    bench.clock.move(LEASE)
    bench.decide(rules=without_repeats())

    bench.record(Receipt(message_id, 0, Result.DELIVERED, bench.clock.now()))

    message = bench.message(message_id)
    assert (message.state, message.in_doubt) == (Result.DELIVERED, False)


def test_what_is_in_doubt_is_sent_again_where_that_is_asked_for(bench_on_sqlite: Bench):
    bench = bench_on_sqlite
    (message_id,) = bench.accept(OTHER_CZECH)
    operator = ForgetfulOperator()
    bench.hand_over = bench.hand_over_to(operator)
    bench.submit(bench.decide(rules=RULES))

    operator.answers = True
    bench.clock.move(LEASE)
    bench.submit(bench.decide(rules=RULES))

    assert bench.message(message_id).state is Result.SENT
    assert operator.took == [message_id, message_id]
    assert bench.balance() == 999 * UNIT


def test_a_new_worker_of_a_file_goes_on_at_once(bench_on_sqlite: Bench):
    bench = bench_on_sqlite
    bench.accept(*NUMBERS)
    bench.decide()

    with bench.store.writing() as connection:
        released = messages.release_in_doubt(connection, bench.clock.now())
    bench.run_for(seconds=2)

    assert released == len(NUMBERS)
    assert_all_once(bench)


def test_two_workers_never_take_the_same_message(bench_on_postgresql: Bench):
    bench = bench_on_postgresql
    bench.accept(*NUMBERS)
    bench.accept(*NUMBERS)
    both_claimed = Barrier(2, timeout=10)

    def claim_and_wait(limit):
        with bench.store.claiming() as claim:
            claimed = messages.claim_due(claim.reading, bench.clock.now(), limit)
            both_claimed.wait()
            return [message.message_id for message in claimed]

    with ThreadPoolExecutor(2) as workers:
        first, second = workers.map(claim_and_wait, [4, 10])

    assert len(first) + len(second) == 10
    assert not set(first) & set(second)


def test_a_transaction_that_dies_gives_its_messages_back(bench_on_postgresql: Bench):
    bench = bench_on_postgresql
    bench.accept(*NUMBERS)
    with pytest.raises(Dies):
        _claim_and_die(bench)

    assert bench.decide().claimed == len(NUMBERS)


def test_a_message_that_was_cancelled_while_it_was_decided_is_not_sent(bench_on_sqlite: Bench, monkeypatch):
    bench = bench_on_sqlite
    (message_id,) = bench.accept(OTHER_CZECH)
    decide = phase_two.decide

    def cancelled_meanwhile(*given):
        with bench.store.writing() as connection:
            connection.execute(message_table.update().values(state="cancelled", due_at=None))
        return decide(*given)

    monkeypatch.setattr(phase_two, "decide", cancelled_meanwhile)
    with pytest.raises(messages.MovedMeanwhile):
        bench.phase_two.turn(10)

    assert bench.message(message_id).state is Result.CANCELLED
    assert bench.balance() == 1000 * UNIT


async def test_a_worker_whose_store_fails_for_a_while_goes_on_when_it_is_back(bench_on_sqlite: Bench, monkeypatch):
    bench = bench_on_sqlite
    (message_id,) = bench.accept(OTHER_CZECH)
    monkeypatch.setattr("messaging_service.running.supervision._RESTART_AFTER_SECONDS", 0.0)
    turn, failures = bench.phase_two.turn, iter(range(2 * BATCHES_UNDER_WAY))

    def turn_or_fail(*given):
        if next(failures, None) is not None:
            raise ConnectionError("the store is away")
        return turn(*given)

    monkeypatch.setattr(bench.phase_two, "turn", turn_or_fail)
    worker = Worker(bench.store, bench.clock, bench.filer, bench.phase_two, bench.hand_over)

    async with asyncio.timeout(10), running({"process": worker}):
        while bench.message(message_id).state is not Result.SENT:  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def _claim_and_die(bench):
    with bench.store.claiming() as claim:
        messages.claim_due(claim.reading, bench.clock.now(), 10)
        _die()


def _die(*_given):
    raise Dies


async def _dying(_receipts):
    _die()
