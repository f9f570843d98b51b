"""The simulated operator: the end of a number chooses what happens, and what was taken stays taken."""

import pytest
from bench import Bench

from interface.flow_steps import Channel
from interface.results import Result
from messaging_service.channels.channel import Receipt, Submission, Taken
from messaging_service.channels.simulated import log
from messaging_service.channels.simulated.operator import RECEIPTS_A_BATCH, RESEND_AFTER, THROTTLED_FOR
from messaging_service.clock import SECOND

pytestmark = pytest.mark.anyio

CHAT = [{"viber": {"sender": "Dove"}}]


@pytest.mark.parametrize(
    ("ending", "flow", "told"),
    [
        ("1234", None, ["sending", "sent", "delivered"]),
        ("9001", None, ["sending", "sent", "undelivered"]),
        ("9002", None, ["sending", "failed"]),
        ("9003", None, ["sending", "sent"]),
        ("9004", None, ["sending", "sent", "delivered"]),
        ("9005", None, ["sending", "sent", "delivered"]),
        ("9006", None, ["sending", "sent", "delivered"]),
        ("9007", None, ["sending", "sent", "delivered"]),
        ("9008", None, ["sending", "sent", "delivered"]),
        ("9008", CHAT, ["sending", "failed"]),
        ("9009", None, ["sending", "sent", "delivered"]),
        ("9009", CHAT, ["sending", "sent", "delivered", "seen"]),
        ("9002", CHAT, ["sending", "failed"]),
    ],
)
def test_the_end_of_a_number_chooses_its_fate(bench_on_sqlite: Bench, ending, flow, told):
    (message_id,) = bench_on_sqlite.accept(f"42060112{ending}", flow=flow)

    bench_on_sqlite.run_for(seconds=4)

    assert bench_on_sqlite.results_told(message_id) == told
    assert bench_on_sqlite.statistics() == bench_on_sqlite.recount()


def test_every_ending_works_on_both_databases(bench: Bench):
    bench.accept(*[f"42060112{ending}" for ending in (1234, 9001, 9002, 9003, 9006, 9007, 9008, 9009)])

    bench.run_for(seconds=4)

    states = [message.state.value for message in bench.messages()]
    assert states == ["delivered", "undelivered", "failed", "sent", *["delivered"] * 4]
    assert bench.statistics() == bench.recount()


async def test_a_message_taken_twice_is_one_message(bench_on_sqlite: Bench):
    first = await bench_on_sqlite.operator.submit([_submission("a")])
    reopened = bench_on_sqlite.open_operator()

    again = await reopened.submit([_submission("a")])

    assert again == first
    assert bench_on_sqlite.taken() == ["a"]
    assert _receipts_to_come(bench_on_sqlite) == 1


async def test_a_message_that_was_delivered_is_not_delivered_again(bench_on_sqlite: Bench):
    await bench_on_sqlite.operator.submit([_submission("a")])
    bench_on_sqlite.clock.move(SECOND)
    await bench_on_sqlite.operator.send_due_receipts()

    await bench_on_sqlite.operator.submit([_submission("a")])

    assert _receipts_to_come(bench_on_sqlite) == 0


async def test_each_step_of_a_flow_is_a_message_of_its_own(bench_on_sqlite: Bench):
    await bench_on_sqlite.operator.submit([_submission("a", flow_index=0), _submission("a", flow_index=1)])

    assert bench_on_sqlite.taken() == ["a", "a"]


async def test_receipts_survive_a_restart(bench: Bench):
    await bench.operator.submit([_submission("a")])
    bench.clock.move(SECOND)

    received = await bench.open_operator().send_due_receipts()

    assert received == 1


async def test_receipts_that_nobody_confirmed_come_again(bench: Bench):
    await bench.operator.submit([_submission("a")])
    bench.clock.move(SECOND)
    with pytest.raises(RuntimeError):
        await bench.open_operator(_dies).send_due_receipts()
    receipts: list[Receipt] = []
    operator = bench.open_operator(_into(receipts))

    at_once = await operator.send_due_receipts()
    bench.clock.move(RESEND_AFTER)
    later = await operator.send_due_receipts()

    assert (at_once, later) == (0, 1)
    assert [receipt.message_id for receipt in receipts] == ["a"]


async def test_a_receipt_of_the_next_step_is_not_lost_with_that_of_the_step_before(bench: Bench):
    receipts: list[Receipt] = []

    async def go_on_to_the_next_step(received):
        receipts.extend(received)
        await bench.operator.submit([_submission("a", flow_index=1)])

    await bench.operator.submit([_submission("a", ending="9001")])
    bench.clock.move(SECOND)
    await bench.open_operator(go_on_to_the_next_step).send_due_receipts()
    bench.clock.move(SECOND)
    await bench.open_operator(_into(receipts)).send_due_receipts()

    assert [(receipt.flow_index, receipt.result) for receipt in receipts] == [
        (0, Result.UNDELIVERED),
        (1, Result.DELIVERED),
    ]


async def test_receipts_at_the_edge_of_a_batch_are_not_held_back(bench: Bench):
    operator = bench.open_operator(_into([]), delay=0)
    count = RECEIPTS_A_BATCH // 2 + 1
    submissions = [_submission(f"{number}", ending="9009", channel=Channel.VIBER) for number in range(count)]
    await operator.submit(submissions)

    received = [await operator.send_due_receipts() for _ in range(2)]

    assert received == [RECEIPTS_A_BATCH, 2]


async def test_a_throttled_message_is_taken_the_second_time(bench_on_sqlite: Bench):
    first = await bench_on_sqlite.operator.submit([_submission("a", ending="9007")])
    second = await bench_on_sqlite.open_operator().submit([_submission("a", ending="9007")])

    assert [first[0].taken, second[0].taken] == [Taken.LATER, Taken.YES]
    assert first[0].retry_in == THROTTLED_FOR
    assert bench_on_sqlite.taken() == ["a"]


def test_a_throttled_message_is_charged_once(bench: Bench):
    (message_id,) = bench.accept("420601129007")
    bench.send()
    waiting = bench.message(message_id)

    bench.run_for(seconds=3)

    assert (waiting.state, waiting.in_doubt) == (Result.SENDING, False)
    assert bench.taken() == [message_id]
    assert bench.balance() == 999_000_000


def _submission(message_id, *, flow_index=0, ending="1234", channel=Channel.SMS):
    return Submission(message_id, flow_index, channel, "Dovecote", f"42060112{ending}", "Hello")


def _receipts_to_come(bench):
    with bench.records.reading() as connection:
        return len(connection.execute(log.receipts.select()).all())


async def _dies(_receipts):
    raise RuntimeError("the process died")


def _into(receipts):
    async def on_receipts(received):
        receipts.extend(received)

    return on_receipts
