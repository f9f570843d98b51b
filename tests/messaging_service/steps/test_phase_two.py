"""Step 4: phase 2 refuses, postpones or prices a message, and takes the better queue first."""

import pytest
from bench import GERMAN, OTHER_CZECH, RULES, SLOVAK, VODAFONE, Bench

from interface.results import Result
from messaging_service.accounts.money import UNIT
from messaging_service.clock import DAY, HOUR, MINUTE, SECOND, iso
from messaging_service.schedule import PRIORITY
from messaging_service.store.tables import contents

TEST_NUMBER = "420777777777"


def test_an_invalid_number_is_rejected(bench: Bench):
    (message_id,) = bench.accept("12")

    bench.send()

    assert_rejected(bench, message_id, 302)


def test_a_number_without_a_price_is_rejected(bench_on_sqlite: Bench):
    (message_id,) = bench_on_sqlite.accept(GERMAN)

    bench_on_sqlite.send()

    assert_rejected(bench_on_sqlite, message_id, 303)


@pytest.mark.parametrize("tag", ["promotional", "transactional", "priority"])
def test_a_blacklisted_number_gets_nothing(bench_on_sqlite: Bench, tag):
    bench_on_sqlite.suppress("blacklist", VODAFONE)
    (message_id,) = bench_on_sqlite.accept(VODAFONE, tag=tag)

    bench_on_sqlite.send()

    assert_rejected(bench_on_sqlite, message_id, 304)


def test_a_number_that_opted_out_gets_nothing_promotional(bench: Bench):
    bench.suppress("optout", VODAFONE)
    (promotional,) = bench.accept(VODAFONE)
    (transactional,) = bench.accept(VODAFONE, tag="transactional")

    bench.send()

    assert_rejected(bench, promotional, 304)
    assert bench.message(transactional).state is Result.SENT


def test_the_list_of_a_sub_account_holds_for_that_sub_account(bench_on_sqlite: Bench):
    bench_on_sqlite.suppress("blacklist", VODAFONE, subid="another")
    (message_id,) = bench_on_sqlite.accept(VODAFONE)

    bench_on_sqlite.send()

    assert bench_on_sqlite.message(message_id).state is Result.SENT


def test_the_list_of_another_account_does_not_hold(bench_on_sqlite: Bench):
    bench_on_sqlite.suppress("blacklist", VODAFONE)
    other = bench_on_sqlite.open_account()
    (message_id,) = bench_on_sqlite.accept(VODAFONE, key=other)

    bench_on_sqlite.send()

    assert bench_on_sqlite.message(message_id).state is Result.SENT


def test_numbers_are_looked_up_as_normalised(bench_on_sqlite: Bench):
    bench_on_sqlite.suppress("blacklist", VODAFONE)
    (message_id,) = bench_on_sqlite.accept("+420 (777) 123-456")

    bench_on_sqlite.send()

    assert_rejected(bench_on_sqlite, message_id, 304)


def test_the_sixth_identical_promotional_message_in_a_day_is_rejected(bench: Bench):
    together = [bench.accept(VODAFONE)[0] for _ in range(3)]
    bench.send()
    together += [bench.accept(VODAFONE)[0] for _ in range(3)]
    bench.send()

    codes = [bench.message(message_id).code for message_id in together]

    assert codes[:3] == [None] * 3
    assert sorted(code or 0 for code in codes[3:]) == [0, 0, 306]  # of one moment, in any order


def test_identical_messages_are_counted_for_a_day(bench_on_sqlite: Bench):
    for _ in range(5):
        bench_on_sqlite.accept(VODAFONE)
    bench_on_sqlite.send()
    bench_on_sqlite.clock.move(DAY + SECOND)
    (message_id,) = bench_on_sqlite.accept(VODAFONE)

    bench_on_sqlite.send()

    assert bench_on_sqlite.message(message_id).state is Result.SENT


def test_texts_that_only_the_steps_say_are_compared(bench: Bench):
    def said(text):
        return bench.accept(VODAFONE, body=None, flow=[{"sms": {"body": text}}])[0]

    different = [said(f"Code {n}") for n in range(6)]
    same = [said("Again") for _ in range(5)]
    bench.send()
    sixth = said("Again")

    bench.send()

    assert {bench.message(message_id).state for message_id in different + same} == {Result.SENT}
    assert_rejected(bench, sixth, 306)


def test_scheduled_messages_are_counted_by_the_day_on_which_they_go(bench_on_sqlite: Bench):
    bench = bench_on_sqlite
    ids = [bench.accept(VODAFONE, datetime=iso(bench.clock.now() + 3 * DAY + n * HOUR))[0] for n in range(6)]
    bench.clock.move(3 * DAY)

    for _ in ids:
        bench.send()
        bench.clock.move(HOUR)

    assert [bench.message(message_id).code for message_id in ids] == [None] * 5 + [306]


def test_a_message_that_nothing_can_be_made_of_holds_nobody_up(bench_on_sqlite: Bench):
    bench = bench_on_sqlite
    (broken,) = bench.accept(VODAFONE, flow=[{"sms": {}}])
    with bench.store.writing() as connection:
        connection.execute(contents.update().values(flow='[{"pigeon": {}}]'))
    (sound,) = bench.accept(VODAFONE)

    bench.send()

    assert bench.message(sound).state is Result.SENT
    assert bench.message(broken).state is Result.ACCEPTED
    assert bench.decide().claimed == 0
    assert bench.balance() == 1000 * UNIT - 1_500_000


@pytest.mark.parametrize(
    "different",
    [{"tag": "transactional"}, {"body": "Another"}, {"queue": PRIORITY}],
    ids=["not promotional", "another text", "priority"],
)
def test_other_messages_are_no_repeats(bench_on_sqlite: Bench, different):
    for _ in range(5):
        bench_on_sqlite.accept(VODAFONE)
    (message_id,) = bench_on_sqlite.accept(VODAFONE, **different)

    bench_on_sqlite.send()

    assert bench_on_sqlite.message(message_id).state is Result.SENT


def test_what_the_wallet_cannot_pay_is_rejected(bench: Bench):
    poor = bench.open_account(credit=1 * UNIT)
    dear, cheap = bench.accept(VODAFONE, OTHER_CZECH, key=poor)

    bench.send()

    assert_rejected(bench, dear, 307)
    assert bench.message(cheap).state is Result.SENT
    assert bench.balance(poor) == 0


def test_what_was_rejected_for_lack_of_credit_keeps_its_number(bench_on_sqlite: Bench):
    poor = bench_on_sqlite.open_account(credit=0)
    (message_id,) = bench_on_sqlite.accept("777 123 456", key=poor)

    bench_on_sqlite.send()

    assert bench_on_sqlite.message(message_id).phone_number == VODAFONE


def test_what_was_rejected_for_lack_of_credit_is_not_retried(bench_on_sqlite: Bench):
    poor = bench_on_sqlite.open_account(credit=0)
    bench_on_sqlite.accept(VODAFONE, key=poor)
    bench_on_sqlite.send()
    bench_on_sqlite.clock.move(DAY)

    assert bench_on_sqlite.decide().claimed == 0


@pytest.mark.parametrize(
    ("number", "gateway", "prices", "network"),
    [
        (VODAFONE, "high", (1_500_000, 60_000), (230, 3)),
        (OTHER_CZECH, "high", (1_000_000, 40_000), (230, 0)),
        (OTHER_CZECH, "lowcost", (500_000, 20_000), (230, 0)),
        (SLOVAK, "high", (2_000_000, 80_000), (231, 0)),
        (SLOVAK, "test", (10_000, 400), (231, 0)),
    ],
)
def test_the_price_depends_on_network_and_gateway(bench_on_sqlite: Bench, number, gateway, prices, network):
    (message_id,) = bench_on_sqlite.accept(number, flow=[{"sms": {"gateway": gateway}}])

    bench_on_sqlite.send()

    message = bench_on_sqlite.message(message_id)
    assert (message.price_czk, message.price_eur) == prices
    assert message.charged == message.price_czk
    assert (message.mcc, message.mnc) == network


def test_a_wallet_in_euros_pays_euros(bench: Bench):
    european = bench.open_account(credit=1 * UNIT, currency="eur")
    (message_id,) = bench.accept(VODAFONE, key=european)

    bench.send()

    assert bench.message(message_id).charged == 60_000
    assert bench.balance(european) == 940_000


@pytest.mark.parametrize(
    ("body", "parts"),
    [
        ("a" * 160, 1),
        ("a" * 161, 2),
        ("€" * 80, 1),
        ("€" * 81, 2),
        ("ř" * 70, 1),
        ("ř" * 71, 2),
        ("😀" * 35, 1),
        ("😀" * 67, 3),  # 33 pairs fit into a part of 67 units
        ("a" * 1001, 7),  # cut to 1000
    ],
    ids=lambda value: value[:1] if isinstance(value, str) else str(value),
)
def test_each_part_is_charged(bench_on_sqlite: Bench, body, parts):
    (message_id,) = bench_on_sqlite.accept(OTHER_CZECH, body=body)

    bench_on_sqlite.send()

    message = bench_on_sqlite.message(message_id)
    assert (message.parts, message.charged) == (parts, parts * UNIT)


def test_the_test_number_is_accepted_and_that_is_all(bench: Bench):
    (message_id,) = bench.accept(TEST_NUMBER)

    bench.run_for(seconds=3)

    assert bench.message(message_id).state is Result.ACCEPTED
    assert bench.taken() == []
    assert bench.balance() == 1000 * UNIT
    assert bench.notifications() == []
    assert bench.statistics() == {}


def test_a_scheduled_message_waits_uncharged(bench: Bench):
    (message_id,) = bench.accept(VODAFONE, datetime=iso(bench.clock.now() + HOUR))
    bench.clock.move(HOUR - 1)

    bench.send()

    assert bench.message(message_id).state is Result.ACCEPTED
    assert bench.balance() == 1000 * UNIT


def test_a_scheduled_message_goes_at_its_time(bench: Bench):
    (message_id,) = bench.accept(VODAFONE, datetime=iso(bench.clock.now() + HOUR))
    bench.clock.move(HOUR)

    bench.send()

    assert bench.message(message_id).state is Result.SENT


def test_a_message_scheduled_in_the_past_goes_at_once(bench_on_sqlite: Bench):
    (message_id,) = bench_on_sqlite.accept(VODAFONE, datetime="2020-01-01T00:00:00Z")

    bench_on_sqlite.send()

    assert bench_on_sqlite.message(message_id).state is Result.SENT


def test_a_message_outside_its_window_waits_for_it(bench_on_sqlite: Bench):
    window = {"start": "12:00", "end": "13:00"}
    (message_id,) = bench_on_sqlite.accept(VODAFONE, delivery_time=window)
    bench_on_sqlite.clock.move(2 * HOUR)

    bench_on_sqlite.send()

    assert bench_on_sqlite.message(message_id).state is Result.SENT


def test_a_message_that_missed_its_window_is_postponed_to_the_next(bench: Bench):
    window = {"start": "12:00", "end": "13:00"}
    (message_id,) = bench.accept(VODAFONE, delivery_time=window)
    late = bench.clock.now() + 3 * HOUR + MINUTE
    bench.clock.move(3 * HOUR + MINUTE)

    bench.send()

    message = bench.message(message_id)
    assert (message.state, message.charged) == (Result.ACCEPTED, 0)
    assert message.due_at == late + 23 * HOUR - MINUTE


def test_a_backlog_does_not_delay_a_better_queue(bench: Bench):
    backlog = bench.accept(*[f"42077712{number:04}" for number in range(10)])
    bench.clock.move(SECOND)
    (transactional,) = bench.accept(VODAFONE, tag="transactional")
    bench.clock.move(SECOND)
    (priority,) = bench.accept(VODAFONE, tag="priority")
    (by_path,) = bench.accept(OTHER_CZECH, queue=PRIORITY)

    batches = [bench.decide(limit=1) for _ in range(4)]

    order = [message.message_id for batch in batches for message in batch.outgoing]
    assert sorted(order[:2]) == sorted([priority, by_path])
    assert order[2] == transactional
    assert order[3] in backlog


def test_a_batch_is_filled_from_the_next_queue(bench_on_sqlite: Bench):
    bench_on_sqlite.accept(OTHER_CZECH, VODAFONE)
    bench_on_sqlite.accept(VODAFONE, tag="priority")

    batch = bench_on_sqlite.decide(limit=2)

    assert [message.queue for message in batch.outgoing] == [0, 2]


@pytest.mark.parametrize(
    ("given", "sender", "text"),
    [
        ({}, "Dovecote", "Hello"),
        ({"sender": "Root"}, "Root", "Hello"),
        ({"sender": "Root", "flow": [{"sms": {"sender": "Step", "body": "Step's"}}]}, "Step", "Step's"),
        ({"body": "Žluťoučký kůň", "flow": [{"sms": {"type": "sms"}}]}, "Dovecote", "Zlutoucky kun"),
        ({"body": "Žluťoučký kůň", "flow": [{"sms": {"type": "utf"}}]}, "Dovecote", "Žluťoučký kůň"),
    ],
    ids=["defaults", "root", "step", "transliterated", "unicode"],
)
def test_the_operator_is_given_the_nearest_sender_and_text(bench_on_sqlite: Bench, given, sender, text):
    bench_on_sqlite.accept(VODAFONE, **given)

    bench_on_sqlite.send()

    assert bench_on_sqlite.texts() == [(sender, text)]


def test_a_transliterated_text_costs_what_is_sent(bench_on_sqlite: Bench):
    (message_id,) = bench_on_sqlite.accept(OTHER_CZECH, body="ř" * 160, flow=[{"sms": {"type": "sms"}}])

    bench_on_sqlite.send()

    assert bench_on_sqlite.message(message_id).parts == 1


def test_a_message_is_decided_once(bench: Bench):
    bench.accept(VODAFONE)

    batches = [bench.decide(rules=RULES) for _ in range(2)]

    assert [batch.claimed for batch in batches] == [1, 0]
    assert bench.balance() == 1000 * UNIT - 1_500_000


def assert_rejected(bench: Bench, message_id: str, code: int) -> None:
    message = bench.message(message_id)
    assert (message.state, message.code, message.charged, message.due_at) == (Result.REJECTED, code, 0, None)
    assert bench.results_told(message_id) == ["rejected"]
    assert message_id not in bench.taken()
    assert bench.statistics() == bench.recount()
