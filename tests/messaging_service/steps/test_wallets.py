"""Wallets are exact: what is gone from one is what its messages were charged, and it never goes below zero."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from bench import OTHER_CZECH, SLOVAK, VODAFONE, Bench
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from interface.results import Result, ResultCode
from messaging_service.accounts.money import UNIT

REFUSED, UNDELIVERED = "420601129002", "420601129001"
VIBER_THEN_SMS = [{"viber": {"sender": "Dove"}}, {"sms": {}}]

recipients = st.sampled_from([VODAFONE, OTHER_CZECH, SLOVAK, REFUSED, UNDELIVERED, "420601129008", "12"])
flows = st.sampled_from([None, VIBER_THEN_SMS, [{"sms": {"gateway": "lowcost"}}, {"sms": {}}]])
sent = st.tuples(st.lists(recipients, min_size=1, max_size=4), st.integers(1, 400), flows)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    calls=st.lists(sent, max_size=5),
    credit=st.sampled_from([0, 1 * UNIT, 4 * UNIT, 7 * UNIT + 1, 1000 * UNIT]),
    currency=st.sampled_from(["czk", "eur"]),
    limit=st.integers(1, 9),
)
def test_a_wallet_and_its_messages_always_add_up(bench: Bench, calls, credit, currency, limit):
    bench.clear()
    key = bench.open_account(credit=credit, currency=currency)
    for numbers, length, flow in calls:
        bench.accept(*numbers, key=key, body="a" * length, flow=flow, tag="transactional")

    for _ in range(20):
        batch = bench.decide(limit)
        assert_adds_up(bench, key, credit)
        bench.submit(batch)
        assert_adds_up(bench, key, credit)
        bench.clock.move(150)
        bench.receive()
        assert_adds_up(bench, key, credit)

    assert bench.statistics() == bench.recount()
    assert bench.networks() == bench.recount_networks()


def assert_adds_up(bench, key, credit):
    balance = bench.balance(key)
    charged = sum(message.charged for message in bench.messages(key))
    assert balance >= 0
    assert credit == balance + charged
    assert bench.charged_by_day(key) == charged


def test_a_short_wallet_pays_first_come_first_served(bench: Bench):
    key = bench.open_account(credit=3 * UNIT)
    ids = []
    for number in (SLOVAK, VODAFONE, OTHER_CZECH, OTHER_CZECH):
        ids += bench.accept(number, key=key, tag="transactional")
        bench.clock.move(1)

    bench.send()

    codes = [bench.message(message_id).code for message_id in ids]
    assert codes == [None, ResultCode.INSUFFICIENT_CREDIT, None, ResultCode.INSUFFICIENT_CREDIT]


def test_one_account_without_credit_does_not_hold_up_another(bench: Bench):
    poor = bench.open_account(credit=0)
    bench.accept(VODAFONE, key=poor)
    (message_id,) = bench.accept(VODAFONE)

    bench.send()

    assert bench.message(message_id).state is Result.SENT


def test_a_message_that_the_operator_refused_costs_nothing(bench: Bench):
    (message_id,) = bench.accept(REFUSED)

    bench.send()

    message = bench.message(message_id)
    assert (message.state, message.charged, message.price_czk, message.price_eur) == (Result.FAILED, 0, 0, 0)
    assert bench.balance() == 1000 * UNIT


def test_a_message_that_came_back_undelivered_is_paid(bench: Bench):
    (message_id,) = bench.accept(UNDELIVERED)

    bench.run_for(seconds=2)

    assert bench.message(message_id).state is Result.UNDELIVERED
    assert bench.balance() == 999 * UNIT


def test_a_flow_pays_for_each_step_that_left(bench: Bench):
    (message_id,) = bench.accept(UNDELIVERED, flow=VIBER_THEN_SMS)

    bench.run_for(seconds=2)

    message = bench.message(message_id)
    assert (message.flow_index, message.charged, message.price_czk) == (1, 1_250_000, 1_250_000)
    assert bench.balance() == 998_750_000


def test_a_flow_does_not_pay_for_a_step_that_was_refused(bench: Bench):
    (message_id,) = bench.accept("420601129008", flow=VIBER_THEN_SMS)

    bench.run_for(seconds=2)

    message = bench.message(message_id)
    assert (message.state, message.charged) == (Result.DELIVERED, 1 * UNIT)
    assert bench.balance() == 999 * UNIT


def test_a_refused_step_after_one_that_left_costs_nothing(bench: Bench):
    (message_id,) = bench.accept("420601129001", flow=[{"sms": {}}, {"viber": {"sender": "Dove"}}])
    bench.send()
    bench.clock.move(150)
    bench.receive()
    batch = bench.decide()

    bench.record(_refusal_of(batch.outgoing[0]))

    message = bench.message(message_id)
    assert (message.flow_index, message.state) == (1, Result.FAILED)
    assert (message.charged, message.price_czk, message.price_eur, message.parts) == (UNIT, UNIT, 40_000, 1)
    assert bench.balance() == 999 * UNIT
    assert bench.statistics() == bench.recount()
    assert bench.networks() == bench.recount_networks()


def test_networks_are_counted_by_the_step_that_was_sent_last(bench: Bench):
    bench.accept("420777129001", flow=VIBER_THEN_SMS)

    bench.run_for(seconds=2)

    assert list(bench.networks().values()) == [1]
    assert bench.networks() == bench.recount_networks()


@pytest.mark.parametrize("credit", [25 * UNIT, 1000 * UNIT], ids=["short", "enough"])
def test_two_workers_charge_each_message_once(bench_on_postgresql: Bench, credit):
    bench = bench_on_postgresql
    keys = [bench.open_account(credit=credit), bench.open_account(credit=credit), bench.open_account()]
    for number in range(40):
        for key in keys:
            bench.accept(f"4206011200{number:02}", key=key, tag=f"tag-{number % 2}")

    with ThreadPoolExecutor(2) as workers:
        taken = list(workers.map(lambda _: _decide_all(bench), range(2)))

    ids = [message_id for mine in taken for message_id in mine]
    assert len(ids) == len(set(ids))
    for key in keys:
        paid = [message for message in bench.messages(key) if message.state is Result.SENDING]
        started_with = credit if key is not keys[2] else 1000 * UNIT
        assert len(paid) == min(40, started_with // UNIT)
        assert_adds_up(bench, key, started_with)
    assert bench.statistics() == bench.recount()


def _decide_all(bench: Bench) -> list[str]:
    ids = []
    while (batch := bench.decide(limit=7)).claimed:
        ids += [message.message_id for message in batch.outgoing]
    return ids


def _refusal_of(message):
    from messaging_service.channels.channel import Receipt

    return Receipt(message.message_id, message.flow_index, Result.FAILED, message.ts_updated)
