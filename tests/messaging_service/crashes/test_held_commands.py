"""A person decides about messages that are held in doubt."""

import json

import pytest
from bench import MORNING, OTHER_CZECH, SLOVAK, Bench, without_repeats
from typer.testing import CliRunner

from interface.results import Result
from messaging_service.accounts.money import UNIT
from messaging_service.process.held import Held
from messaging_service.process.held_commands import app
from messaging_service.process.phase_two import LEASE


def hold(bench: Bench, *numbers: str, **message) -> list[str]:
    """Have a worker die with these messages in its hands, where the operator can't tell a repeat."""
    ids = bench.accept(*numbers, **message)
    bench.decide(rules=without_repeats())
    bench.clock.move(LEASE)
    bench.decide(rules=without_repeats())
    return ids


def test_a_message_that_is_resent_goes_out_once_more_and_is_paid_once(bench: Bench):
    (message_id,) = hold(bench, OTHER_CZECH)

    count = Held(bench.store, bench.clock).resend([message_id])

    bench.submit(bench.decide(rules=without_repeats()))
    assert count == 1
    assert bench.taken() == [message_id]
    assert bench.message(message_id).state is Result.SENT
    assert bench.balance() == 999 * UNIT


def test_a_message_that_is_given_up_is_refunded_counted_and_told(bench: Bench):
    (message_id,) = hold(bench, OTHER_CZECH)

    count = Held(bench.store, bench.clock).fail([message_id])

    message = bench.message(message_id)
    assert count == 1
    assert (message.state, message.due_at, message.in_doubt) == (Result.FAILED, None, False)
    assert bench.balance() == 1000 * UNIT
    assert bench.results_told(message_id) == ["sending", "failed"]
    assert bench.statistics() == bench.recount()


def test_a_flow_whose_step_is_given_up_goes_on_with_the_next(bench_on_sqlite: Bench):
    bench = bench_on_sqlite
    (message_id,) = hold(bench, OTHER_CZECH, flow=[{"sms": {"sender": "Shop"}}, {"sms": {"sender": "Shop 2"}}])

    Held(bench.store, bench.clock).fail([message_id])

    message = bench.message(message_id)
    assert (message.state, message.flow_index) == (Result.ACCEPTED, 1)


def test_only_what_is_held_can_be_decided_about(bench: Bench):
    (held,) = hold(bench, OTHER_CZECH)
    (on_its_way,) = bench.accept(SLOVAK)
    bench.decide(rules=without_repeats())

    counts = [Held(bench.store, bench.clock).resend([on_its_way, "unknown"]), Held(bench.store, bench.clock).fail()]

    assert counts == [0, 1]
    assert bench.message(held).state is Result.FAILED
    assert bench.message(on_its_way).due_at == bench.clock.now() + LEASE


def test_deciding_twice_decides_once(bench: Bench):
    hold(bench, OTHER_CZECH, SLOVAK)
    people = Held(bench.store, bench.clock)

    counts = [people.fail(), people.fail(), people.resend()]

    assert counts == [2, 0, 0]
    assert bench.balance() == 1000 * UNIT


@pytest.fixture
def dovecote(bench: Bench, monkeypatch):
    """Run a command on the store of the bench."""
    url = bench.store.engine.url.set(drivername="sqlite" if bench.store.is_sqlite else "postgresql")
    monkeypatch.setenv("DOVECOTE_DATABASE", url.render_as_string(hide_password=False))
    return lambda *arguments: CliRunner().invoke(app, arguments)


def test_the_commands_list_resend_and_fail(bench: Bench, dovecote):
    first, second = hold(bench, OTHER_CZECH, SLOVAK)

    listed = json.loads(dovecote("list", "--json").stdout)
    outputs = [dovecote("resend", first).stdout, dovecote("fail", "--all").stdout, dovecote("list").stdout]

    assert [row["message_id"] for row in listed] == [first, second]
    assert listed[0]["channel"] == "sms"
    assert outputs == ["Messages to be handed over again: 1.\n", "Messages that failed: 1.\n", "No message is held.\n"]
    assert bench.message(first).due_at > MORNING
    assert bench.message(second).state is Result.FAILED


@pytest.mark.parametrize("command", ["resend", "fail"])
@pytest.mark.parametrize("arguments", [[], ["some-id", "--all"]])
def test_nothing_is_decided_by_accident(dovecote, command, arguments):
    done = dovecote(command, *arguments)

    assert done.exit_code == 2
    assert "Name messages, or --all" in done.output
