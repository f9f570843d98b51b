"""Step 6: receipts move messages forward only, whatever their order, and all that follows is counted and told once."""

from itertools import pairwise

import pytest
from bench import VODAFONE, Bench
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from interface.results import Result, may_follow
from messaging_service.accounts.money import UNIT
from messaging_service.channels.channel import Receipt
from messaging_service.clock import SECOND

REPORTED = [Result.SENT, Result.DELIVERED, Result.SEEN, Result.UNDELIVERED, Result.FAILED]
TWO_STEPS = [{"viber": {"sender": "Dove"}}, {"sms": {}}]
NOT_TOLD = (Result.ACCEPTED, Result.CANCELLED)

reports = st.tuples(st.sampled_from(REPORTED), st.integers(0, 1), st.integers(-2000, 2000))
on_any_store = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@on_any_store
@given(reported=st.lists(reports, max_size=7), flow=st.sampled_from([None, TWO_STEPS]))
def test_whatever_operators_report_messages_move_forward_only(bench: Bench, reported, flow):
    bench.clear()
    (message_id,) = bench.accept(VODAFONE, flow=flow)
    history = [bench.message(message_id), *_decided(bench, message_id)]

    for result, flow_index, late in reported:
        bench.record(Receipt(message_id, flow_index, result, bench.clock.now() + late))
        history += [bench.message(message_id), *_decided(bench, message_id)]
        bench.clock.move(SECOND)

    for before, after in pairwise(history):
        assert_forward(before, after)
    changes = [after for before, after in pairwise(history) if _differ(before, after)]
    assert bench.results_told(message_id) == [message.state for message in changes if message.state not in NOT_TOLD]
    assert bench.statistics() == bench.recount()
    assert bench.networks() == bench.recount_networks()
    assert bench.balance() + history[-1].charged == 1000 * UNIT


@on_any_store
@given(reported=st.lists(reports, min_size=2, max_size=7))
def test_receipts_that_come_together_count_like_receipts_one_by_one(bench: Bench, reported):
    bench.clear()
    together, apart = bench.accept(VODAFONE, VODAFONE, flow=TWO_STEPS)
    bench.decide()

    now = bench.clock.now()
    bench.record(*(Receipt(together, index, result, now + late) for result, index, late in reported))
    for result, index, late in reported:
        bench.record(Receipt(apart, index, result, now + late))

    assert _progress(bench.message(together)) == _progress(bench.message(apart))
    assert bench.results_told(together) == bench.results_told(apart)
    assert bench.statistics() == bench.recount()
    assert bench.balance() + sum(message.charged for message in bench.messages()) == 1000 * UNIT


def _decided(bench, message_id):
    """Hand over what the flow went on to. Returns where that took the message, if it did."""
    return [bench.message(message_id)] if bench.decide().claimed else []


def assert_forward(before, after):
    if before.flow_index == after.flow_index and before.state is not after.state:
        assert may_follow(before.state, after.state)
    assert after.flow_index - before.flow_index in {0, 1}
    for name in ("ts_sent", "ts_delivered", "ts_seen"):
        assert getattr(before, name) in {None, getattr(after, name)}
    assert (before.ts_updated or 0) <= (after.ts_updated or 0)
    reached = [moment for moment in (after.ts_sent, after.ts_delivered, after.ts_seen) if moment is not None]
    assert reached == sorted(reached)


def _differ(before, after):
    return (before.state, before.flow_index) != (after.state, after.flow_index)


def _progress(message):
    return message._replace(id=0, message_id="")


@pytest.mark.parametrize(
    ("results", "told"),
    [
        (["sent", "delivered"], ["sending", "sent", "delivered"]),
        (["sent", "sent"], ["sending", "sent"]),
        (["delivered", "sent"], ["sending", "delivered"]),
        (["sent", "delivered", "undelivered"], ["sending", "sent", "delivered"]),
        (["sent", "undelivered", "delivered"], ["sending", "sent", "undelivered"]),
        (["sent", "seen", "delivered"], ["sending", "sent", "seen"]),
        (["sent", "delivered", "seen", "seen"], ["sending", "sent", "delivered", "seen"]),
    ],
    ids="-".join,
)
def test_each_change_of_the_result_is_told_once(bench_on_sqlite: Bench, results, told):
    bench = bench_on_sqlite
    (message_id,) = bench.accept(VODAFONE)
    bench.decide()

    for result in results:
        bench.record(Receipt(message_id, 0, Result(result), bench.clock.now()))

    assert bench.results_told(message_id) == told


def test_a_receipt_for_an_unknown_message_changes_nothing(bench: Bench):
    moved = bench.record(Receipt("nobody's", 0, Result.DELIVERED, bench.clock.now()))

    assert moved == []
    assert bench.statistics() == {}


def test_a_step_that_fails_gives_way_to_the_next(bench: Bench):
    (message_id,) = bench.accept("420601129008", flow=TWO_STEPS)

    bench.run_for(seconds=2)

    message = bench.message(message_id)
    assert (message.state, message.flow_index) == (Result.DELIVERED, 1)
    assert bench.results_told(message_id) == ["sending", "sending", "sent", "delivered"]
    assert bench.statistics() == bench.recount()


def test_after_the_last_step_its_result_stands(bench_on_sqlite: Bench):
    (message_id,) = bench_on_sqlite.accept("420601129002", flow=TWO_STEPS)

    bench_on_sqlite.run_for(seconds=2)

    message = bench_on_sqlite.message(message_id)
    assert (message.state, message.flow_index, message.due_at) == (Result.FAILED, 1, None)
    assert bench_on_sqlite.results_told(message_id)[-1] == "failed"


def test_a_receipt_of_a_step_that_was_left_changes_nothing(bench_on_sqlite: Bench):
    bench = bench_on_sqlite
    (message_id,) = bench.accept("420601129008", flow=TWO_STEPS)
    bench.send()
    before = bench.message(message_id)

    bench.record(Receipt(message_id, 0, Result.DELIVERED, bench.clock.now()))

    assert bench.message(message_id) == before


def test_statistics_are_kept_by_key_date_and_tags(bench: Bench):
    other = bench.open_account()
    bench.accept(VODAFONE, "12")
    bench.accept(VODAFONE, tag="orders")
    bench.accept(VODAFONE, key=other)

    bench.run_for(seconds=1)

    delivered = {"count_delivered": 1, "count_sent": 1, "msg_sent": 1}
    assert bench.statistics() == {
        (bench.key.id, "2026-03-02", "promotional"): delivered | {"count_notsent": 1},
        (bench.key.id, "2026-03-02", "orders"): delivered,
        (other.id, "2026-03-02", "promotional"): delivered,
    }
