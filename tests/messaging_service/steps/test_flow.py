"""The channel flow: steps give way to the next when they fail or their time ends, each paid once, whatever happens."""

import asyncio
from itertools import pairwise

import pytest
from bench import OTHER_CZECH, RULES, Bench, without_repeats
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from sqlalchemy import event

from interface.flow_steps import Channel
from interface.results import Result, may_follow
from messaging_service.accounts.money import UNIT
from messaging_service.channels.channel import Answer, Receipt, Taken
from messaging_service.clock import HOUR, MINUTE, SECOND
from messaging_service.process.held import Held
from messaging_service.process.phase_two import LEASE
from messaging_service.store import messages

VIBER, RCS, SMS = 250_000, 500_000, 1_000_000
"""What the steps cost."""
SILENT = "420601129003"
"""Takes every message and never sends a receipt."""
ON_TIME = {"viber": {"sender": "Dove", "ttl": 0.5}}
THREE_STEPS = [ON_TIME, {"rcs": {"ttl": 1, "ttl_condition": "seen"}}, {"sms": {"ttl": 0.5}}]
REPORTED = [Result.SENT, Result.DELIVERED, Result.SEEN, Result.UNDELIVERED, Result.FAILED]
NOT_TOLD = (Result.ACCEPTED, Result.CANCELLED)

moments = st.tuples(st.just("time"), st.sampled_from([SECOND, 20 * SECOND, 40 * SECOND, 90 * SECOND]))
HOWS = [*Taken, "dies before", "dies after", "answers later", "throttles later"]
works = st.tuples(st.just("work"), st.sampled_from(HOWS))
answers = st.tuples(st.just("answers"), st.none())
people = st.tuples(st.just("person"), st.sampled_from(["fail", "resend"]))
restarts = st.tuples(st.just("restart"), st.none())
receipts = st.tuples(st.just("receipt"), st.tuples(st.integers(0, 2), st.sampled_from(REPORTED)))


class Operators:
    """Operators that answer as a test tells them."""

    recognises_repeats = False

    def __init__(self) -> None:
        self.answer = Taken.YES
        self.took: list[tuple[str, int]] = []

    async def submit(self, submissions):
        if self.answer is Taken.UNKNOWN:
            raise ConnectionError("no answer")
        if self.answer is Taken.YES:
            self.took += [(each.message_id, each.flow_index) for each in submissions]
        return [Answer(self.answer, retry_in=5 * SECOND) for _ in submissions]


class World:
    """One message, its worker, its operators, and everything that was seen of it."""

    def __init__(self, bench: Bench, rules) -> None:
        bench.clear()
        self.bench, self.rules = bench, rules
        self.operators = Operators()
        self.hand_over = bench.hand_over_to(self.operators)
        self.unrecorded: list = []
        (self.message_id,) = bench.accept(OTHER_CZECH, flow=THREE_STEPS)
        self.seen = [bench.message(self.message_id)]

    def do(self, action: str, detail) -> None:
        getattr(self, action)(detail)
        self.seen.append(self.bench.message(self.message_id))

    def time(self, milliseconds) -> None:
        self.bench.clock.move(milliseconds)

    def work(self, how) -> None:
        outgoing = self.bench.decide(rules=self.rules).outgoing
        self.seen.append(self.bench.message(self.message_id))
        self.operators.answer = how if isinstance(how, Taken) else Taken.YES
        if how in {"answers later", "throttles later"}:
            self.unrecorded += [(message, how) for message in outgoing]
        elif how == "dies after":
            asyncio.run(self.operators.submit(outgoing))
        elif how != "dies before":
            asyncio.run(self.hand_over.submit(outgoing))

    def answers(self, _nothing) -> None:
        for message, how in self.unrecorded:
            if how == "throttles later":
                self.bench.tracker.postpone([(message, 5 * SECOND)])
            else:
                taken = Receipt(message.message_id, message.flow_index, Result.SENT, self.bench.clock.now())
                self.bench.tracker.record_answers([message], [taken])
        self.unrecorded = []

    def person(self, decision) -> None:
        getattr(Held(self.bench.store, self.bench.clock), decision)()

    def restart(self, _nothing) -> None:
        with self.bench.store.writing() as connection:
            messages.release_in_doubt(connection, self.bench.clock.now())

    def receipt(self, reported) -> None:
        self.bench.record(Receipt(self.message_id, *reported, self.bench.clock.now()))

    def settle(self) -> None:
        """Let everything come to its end with operators that take all and report nothing."""
        self.answers(None)
        for _ in range(12):
            self.do("work", Taken.YES)
            self.do("time", 2 * LEASE)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    happened=st.lists(st.one_of(works, works, moments, answers, receipts, people, restarts), max_size=14),
    repeats=st.booleans(),
)
@example(happened=[("work", Taken.LATER)], repeats=False)  # was once refunded twice
def test_whatever_happens_a_message_has_one_fate_and_each_step_one_bill(bench: Bench, happened, repeats):
    world = World(bench, RULES if repeats else without_repeats())

    for action, detail in happened:
        world.do(action, detail)
    world.settle()
    settled = bench.message(world.message_id)
    for flow_index in range(3):
        for result in REPORTED:
            if flow_index < settled.flow_index:
                world.do("receipt", (flow_index, result))

    assert bench.message(world.message_id) == settled
    assert_forward(world.seen)
    assert_told_once(bench, world)
    assert_charged_once(world.seen)
    assert bench.balance() + settled.charged == 1000 * UNIT
    assert bench.statistics() == bench.recount()
    assert bench.networks() == bench.recount_networks()


def assert_forward(seen):
    for before, after in pairwise(seen):
        assert before.flow_index <= after.flow_index
        if before.flow_index == after.flow_index and before.state is not after.state:
            assert _may_come_to(before.state, after.state)


def _may_come_to(before, after):
    """Whether a result may be reached, also over another that a test didn't look at."""
    return may_follow(before, after) or any(
        may_follow(before, between) and may_follow(between, after) for between in Result
    )


def assert_told_once(bench, world):
    told = [(event["gateway"], event["result"]) for event in bench.notifications()]
    assert len(told) == len(set(told))
    last = world.seen[-1]
    finals = [result for gateway, result in told if result in {"failed", "undelivered"}]
    assert finals in ([], [last.state.value])


def assert_charged_once(seen):
    costs = (VIBER, RCS, SMS)
    for flow_index, cost in enumerate(costs):
        changes = [
            after.charged - before.charged
            for before, after in pairwise(seen)
            if before.charged != after.charged and before.flow_index == flow_index
        ]
        assert changes in ([], [cost], [cost, -cost])


@pytest.mark.parametrize(
    ("step", "result", "reached"),
    [
        ({"viber": {"sender": "Dove", "ttl": 0.5}}, Result.SENT, False),
        ({"viber": {"sender": "Dove", "ttl": 0.5}}, Result.DELIVERED, True),
        ({"viber": {"sender": "Dove", "ttl": 0.5, "ttl_condition": "sent"}}, Result.SENT, True),
        ({"viber": {"sender": "Dove", "ttl": 0.5, "ttl_condition": "seen"}}, Result.DELIVERED, False),
        ({"viber": {"sender": "Dove", "ttl": 0.5, "ttl_condition": "seen"}}, Result.SEEN, True),
        ({"viber": {"sender": "Dove"}}, Result.SENT, True),
        ({"sms": {"ttl": 0.5}}, Result.SENT, True),
        ({"sms": {"ttl": 0.5, "ttl_condition": "delivered"}}, Result.SENT, False),
    ],
)
def test_a_step_gives_way_when_its_time_ends_before_its_condition_is_met(bench_on_sqlite: Bench, step, result, reached):
    bench = bench_on_sqlite
    (message_id,) = bench.accept(SILENT, flow=[step, {"sms": {}}])
    bench.send()
    bench.record(Receipt(message_id, 0, result, bench.clock.now()))

    bench.clock.move(MINUTE // 2 - 1)
    before = bench.decide().claimed
    bench.clock.move(1)
    bench.send()

    assert before == 0
    assert bench.message(message_id).flow_index == (0 if reached else 1)


def test_time_runs_from_when_the_step_starts(bench: Bench):
    later = bench.clock.now() + 10 * HOUR
    (message_id,) = bench.accept(SILENT, flow=[ON_TIME, {"sms": {}}], delivery_time={"start": "20:00", "end": "21:00"})
    bench.clock.move(10 * HOUR)

    bench.run_for(seconds=29)
    waiting = bench.message(message_id)
    bench.run_for(seconds=3)

    assert (waiting.flow_index, waiting.state, waiting.due_at) == (0, Result.SENT, later + MINUTE // 2)
    assert (bench.message(message_id).flow_index, bench.message(message_id).state) == (1, Result.SENT)


def test_steps_that_were_taken_stay_paid_and_the_last_result_stands(bench: Bench):
    (message_id,) = bench.accept(SILENT, flow=THREE_STEPS)

    bench.run_for(seconds=95)

    message = bench.message(message_id)
    assert (message.flow_index, message.state, message.due_at) == (2, Result.SENT, None)
    assert message.charged == VIBER + RCS + SMS
    assert bench.results_told(message_id) == ["sending", "sent"] * 3
    assert bench.statistics() == bench.recount()


def test_the_time_of_the_last_step_means_nothing(bench_on_sqlite: Bench):
    (message_id,) = bench_on_sqlite.accept(SILENT, flow=[ON_TIME])

    bench_on_sqlite.send()

    assert bench_on_sqlite.message(message_id).due_at is None


def test_a_step_that_is_in_time_is_the_last(bench: Bench):
    (message_id,) = bench.accept("420601129009", flow=[ON_TIME, {"sms": {}}])

    bench.run_for(seconds=40)

    message = bench.message(message_id)
    assert (message.flow_index, message.state, message.charged) == (0, Result.SEEN, VIBER)
    assert bench.results_told(message_id) == ["sending", "sent", "delivered", "seen"]


def test_a_number_without_a_chat_app_gets_the_sms_at_once_and_pays_for_it_alone(bench: Bench):
    (message_id,) = bench.accept("420601129008", flow=[{"viber": {"sender": "Dove", "ttl": 60}}, {"sms": {}}])

    bench.run_for(seconds=2)

    message = bench.message(message_id)
    assert (message.flow_index, message.state, message.charged) == (1, Result.DELIVERED, SMS)


def test_a_step_that_the_operator_only_throttled_is_refunded_when_its_time_ends(bench: Bench):
    world = World(bench, RULES)
    world.do("work", Taken.LATER)

    world.do("time", MINUTE)
    world.do("work", Taken.YES)

    message = bench.message(world.message_id)
    assert (message.flow_index, message.charged) == (1, 0)
    assert world.operators.took == []


def test_a_step_in_doubt_stays_paid_when_its_time_ends(bench: Bench):
    world = World(bench, without_repeats())
    world.do("work", "dies before")
    world.do("time", LEASE)

    world.do("work", Taken.YES)

    message = bench.message(world.message_id)
    assert (message.flow_index, message.charged) == (1, VIBER)


def test_a_message_held_in_doubt_goes_on_when_its_time_ends(bench: Bench):
    (message_id,) = bench.accept(OTHER_CZECH, flow=[{"viber": {"sender": "Dove", "ttl": 5}}, {"sms": {}}])
    bench.decide(rules=without_repeats())
    bench.clock.move(LEASE)
    held = bench.decide(rules=without_repeats())
    bench.clock.move(4 * MINUTE)

    bench.decide(rules=without_repeats())

    assert held.outgoing == []
    assert (bench.message(message_id).flow_index, bench.message(message_id).state) == (1, Result.ACCEPTED)


def test_a_receipt_and_the_end_of_time_at_once_give_one_result(bench_on_postgresql: Bench):
    bench = bench_on_postgresql
    (message_id,) = bench.accept(SILENT, flow=[ON_TIME, {"sms": {}}])
    bench.send()
    bench.clock.move(MINUTE)

    async def both():
        delivered = Receipt(message_id, 0, Result.DELIVERED, bench.clock.now())
        await asyncio.gather(asyncio.to_thread(bench.decide), asyncio.to_thread(bench.record, delivered))

    asyncio.run(both())

    message = bench.message(message_id)
    assert (message.flow_index, message.state) in {(0, Result.DELIVERED), (1, Result.ACCEPTED)}
    assert bench.results_told(message_id)[2:] == (["delivered"] if message.flow_index == 0 else [])


def test_a_late_answer_of_a_step_that_was_left_says_nothing_of_the_next(bench: Bench):
    world = World(bench, without_repeats())
    world.do("work", "answers later")
    world.do("time", LEASE)
    world.do("work", Taken.YES)
    world.do("work", "dies before")

    world.do("answers", None)

    message = bench.message(world.message_id)
    assert (message.flow_index, message.state, message.in_doubt) == (1, Result.SENDING, True)


def test_a_late_throttling_of_a_step_that_was_left_says_nothing_of_the_next(bench: Bench):
    world = World(bench, without_repeats())
    world.do("work", "throttles later")
    world.do("time", LEASE)
    world.do("work", Taken.YES)
    world.do("work", "dies before")
    before = bench.message(world.message_id)

    world.do("answers", None)

    assert bench.message(world.message_id) == before
    assert (before.flow_index, before.state, before.in_doubt) == (1, Result.SENDING, True)


def test_the_times_of_many_end_in_one_batch(bench: Bench):
    numbers = [f"420601{number}9003" for number in range(10, 20)]
    for _ in range(3):
        bench.accept(*numbers, flow=[ON_TIME, {"sms": {}}], tag="transactional")
    bench.send()
    bench.clock.move(MINUTE)

    ended = bench.decide()

    assert (ended.claimed, ended.outgoing) == (30, [])
    assert {message.flow_index for message in bench.messages()} == {1}


def test_a_notification_names_the_channel_and_what_its_step_cost(bench: Bench):
    flow = [ON_TIME, {"rcs": {"ttl": 0.5}}, {"sms": {"gateway": "lowcost"}}]
    bench.accept(SILENT, flow=flow, payload={"order": 17})

    bench.run_for(seconds=65)

    channels = ["viber", "viber", "rcs", "rcs", "sms", "sms"]
    told = bench.notifications()
    assert [event["gateway"] for event in told] == channels
    own = [event[event["gateway"]] for event in told]
    assert [each["price_czk"] for each in own] == ["0.25", "0.25", "0.50", "0.50", "0.50", "0.50"]
    assert [each["price_eur"] for each in own] == ["0.01", "0.01", "0.02", "0.02", "0.02", "0.02"]
    assert [each["sender"] for each in own] == ["Dove"] * 2 + ["Dovecote"] * 4
    assert all((each["country"], each["operator"], each["count"]) == (230, 0, 1) for each in own)
    assert all(event["payload"] == {"order": 17} for event in told)


def test_plain_messages_ask_nothing_about_chats(bench_on_sqlite: Bench):
    bench = bench_on_sqlite
    bench.accept(OTHER_CZECH)
    bench.accept(OTHER_CZECH, flow=[{"viber": {"sender": "Dove"}}, {"sms": {}}])
    asked = []

    def listen(_connection, _cursor, sql, *_rest):
        asked.append(sql)

    event.listen(bench.store.engine, "before_cursor_execute", listen)
    bench.decide()
    event.remove(bench.store.engine, "before_cursor_execute", listen)

    assert asked
    assert not [sql for sql in asked if "inbox" in sql or "chat_templates" in sql]


def test_viber_and_rcs_go_out_with_their_buttons(bench_on_sqlite: Bench):
    bench = bench_on_sqlite
    shop = {"title": "Shop", "url": "https://shop.example"}
    flows = [{"viber": {"sender": "Dove", "buttons": [shop]}}, {"rcs": {}}]

    ids = [bench.accept(OTHER_CZECH, flow=[flow])[0] for flow in flows]
    bench.run_for(seconds=1)

    assert [bench.message(message_id).state for message_id in ids] == [Result.DELIVERED] * 2
    assert {event["gateway"] for event in bench.notifications()} == {Channel.VIBER, Channel.RCS}
    assert sorted(bench.texts()) == [("Dove", "Hello\n[Shop] https://shop.example"), ("Dovecote", "Hello")]
