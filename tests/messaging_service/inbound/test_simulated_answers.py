"""Numbers of the simulated operator that answer: 9004 says STOP, 9005 says YES."""

import pytest
from bench import Bench
from writing import incoming, opted_out, received, sent

from interface.flow_steps import Channel
from messaging_service.channels.channel import Submission
from messaging_service.channels.simulated import log
from messaging_service.channels.simulated.operator import Delay, Reports, SimulatedOperator
from messaging_service.channels.simulated.telephones import REPORT_AGAIN_AFTER
from messaging_service.clock import SECOND

pytestmark = pytest.mark.anyio

STOPS, AGREES = "420601129004", "420601129005"


def test_numbers_answer_after_they_got_the_message(bench: Bench):
    ids = sent(bench, STOPS, AGREES)

    bench.run_for(seconds=4)

    answers = [(row["sender"], row["body"], row["message_id"]) for row in received(bench)]
    assert sorted(answers) == [(STOPS, "STOP", ids[0]), (AGREES, "YES", ids[1])]
    assert opted_out(bench) == [("optout", STOPS, "default")]
    assert [event["body"] for event in incoming(bench)] == [row["body"] for row in received(bench)]
    assert bench.statistics() == bench.recount()


async def test_answers_survive_a_restart_and_come_until_they_are_confirmed(bench: Bench):
    await bench.operator.submit([_submission(AGREES)])
    bench.clock.move(SECOND)
    heard = []

    async def dies(_received):
        raise ConnectionError

    async def hears(received):
        heard.extend(received)

    with pytest.raises(ConnectionError):
        await _operator(bench, dies).report_due_answers()
    bench.clock.move(REPORT_AGAIN_AFTER)
    counts = [await _operator(bench, hears).report_due_answers() for _ in range(2)]

    assert counts == [1, 0]
    assert [(inbound.phone_number, inbound.recipient, inbound.body) for inbound in heard] == [(AGREES, "Dove", "YES")]


async def test_a_message_taken_twice_is_answered_once(bench_on_sqlite: Bench):
    for _ in range(2):
        await bench_on_sqlite.operator.submit([_submission(AGREES)])

    assert answers_to_come(bench_on_sqlite) == 1


def answers_to_come(bench: Bench) -> int:
    with bench.records.reading() as connection:
        return len(connection.execute(log.answers.select()).all())


def _operator(bench: Bench, on_inbound) -> SimulatedOperator:
    async def on_receipts(_receipts):
        pass

    return SimulatedOperator(bench.records, bench.clock, Delay(1, 1), Reports(on_receipts, on_inbound))


def _submission(number: str) -> Submission:
    return Submission("a-message", 0, Channel.SMS, "Dove", number, "Hello")
