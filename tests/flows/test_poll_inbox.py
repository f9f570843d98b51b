"""The flow ``poll_inbox`` on a real Prefect server: each message is handled once, also when the flow is killed."""

import asyncio
import uuid
from collections import Counter, deque
from datetime import UTC, datetime, timedelta

import pytest
from builders import SOCKETS_OF_PREFECT
from flow_facts import events_about, table_of
from flow_process import FlowProcess
from inbox_provider import InboxProvider
from prefect.blocks.webhook import Webhook
from serving import served
from sqlalchemy import select, update

from flows.blocks import MessagingAccount
from flows.inbound.arrivals import dates_to_read, identified, masked, next_mark
from flows.inbox import Inbox, poll_inbox
from flows.ledger import open_ledger
from flows.ledger.tables import inbound, inbox_marks, turns
from flows.problems import FlowProblem
from interface.errors import Unauthorized
from interface.inbox import InboundMessage

pytestmark = [SOCKETS_OF_PREFECT, pytest.mark.usefixtures("within_an_hour")]


def today(days=0):
    return (datetime.now(UTC) + timedelta(days=days)).date().isoformat()


def row(index, body, sender=None, day=None):
    return {
        "ts_received": f"{day or today()}T00:{index // 60 % 60:02}:{index % 60:02}.000Z",
        "body": body,
        "from": sender or f"420777{index:06}",
        "to": "Dovecote",
        "gateway": "sms",
    }


@pytest.fixture
def provider():
    return InboxProvider()


@pytest.fixture
def name(prefect, provider):  # noqa: ARG001  (where the blocks are saved)
    unique = f"inbox-{uuid.uuid4().hex[:8]}"
    with served(provider.app) as address:
        MessagingAccount(api_key="secret-key", rest_url=f"{address}/v1").save(unique)
        Webhook(url=f"{address}/hook", headers={"Authorization": "Bearer of-the-receiver"}).save(unique)
        yield unique


@pytest.fixture
def ledger_file(monkeypatch, tmp_path):
    address = f"sqlite:///{tmp_path / 'ledger.sqlite3'}"
    monkeypatch.setenv("DOVECOTE_LEDGER", address)
    return address


@pytest.fixture
def poll(name, ledger_file):  # noqa: ARG001  (where it remembers)
    def run(**wishes):
        return asyncio.run(poll_inbox(Inbox(account=name, **wishes)))

    return run


def test_opt_outs_are_followed_events_emitted_and_messages_forwarded(poll, provider, name, prefect):
    provider.inbox[today()] = [row(1, "STOP"), row(2, "When do you open?"), row(3, "start")]

    report = poll(forward_to=name)

    assert provider.opted_out == ["420777000001"]
    assert [one["body"] for one in sorted(provider.handed_on, key=lambda one: one["sender"])] == [
        "STOP",
        "When do you open?",
        "start",
    ]
    assert provider.handed_on[0].keys() == {"gateway", "timestamp", "type", "sender", "recipient", "body"}
    assert set(provider.headers) == {"Bearer of-the-receiver"}
    told = events_about(prefect, f"dovecote.account.{name}", 3)
    assert Counter(one["event"] for one in told) == {
        "dovecote.inbound.opt-out": 1,
        "dovecote.inbound.message": 1,
        "dovecote.inbound.opt-in": 1,
    }
    assert not any("77700000" in str(one) or "open?" in str(one) for one in told)
    assert (report.read, report.new, report.opted_out, report.forwarded) == (3, 3, 1, 3)
    assert {"what": "opted out", "figure": 1} in table_of(f"inbox-{name}")


def test_the_next_run_handles_only_what_is_new(poll, provider, name):
    provider.inbox[today()] = [row(1, "STOP"), row(2, "Hello"), row(2, "Hello")]
    poll(forward_to=name)
    provider.inbox[today()] = [row(1, "STOP"), row(2, "Hello"), row(2, "Hello"), row(2, "Hello"), row(4, "stop")]

    report = poll(forward_to=name)

    assert (report.read, report.new, report.opted_out, report.forwarded) == (5, 2, 1, 2)
    assert provider.opted_out == ["420777000001", "420777000004"]
    assert len(provider.handed_on) == 5


def test_the_last_word_of_a_person_counts(poll, provider):
    provider.inbox[today()] = [row(1, "STOP", "420777000001"), row(2, "START", "420777000001")]
    provider.inbox[today()] += [row(1, "START", "420777000002"), row(2, "STOP", "420777000002")]

    report = poll()

    assert (provider.opted_out, provider.opted_in) == (["420777000002"], ["420777000001"])
    assert (report.opted_out, report.opted_in) == (1, 1)


def test_it_begins_where_it_was_and_forgets_what_is_done_with(poll, provider, ledger_file):
    provider.inbox[today(-1)] = [row(1, "Hello", day=today(-1))]
    poll(days_back=3)
    assert provider.dates == [today(-3), today(-2), today(-1), today()]
    provider.dates.clear()

    poll(days_back=3)

    mark = next_mark(datetime.now(UTC).timestamp()).isoformat()
    assert provider.dates[0] == mark
    book = open_ledger(ledger_file)
    with book.read() as connection:
        assert connection.scalar(select(inbox_marks.c.date)) == mark
        assert all(date >= mark for date in connection.scalars(select(inbound.c.date)))
    book.close()


def test_a_receiver_that_fails_keeps_its_messages_for_the_next_run(poll, provider, name):
    provider.inbox[today()] = [row(index, "STOP") for index in range(3)]
    provider.faults["/hook"] = deque([410] * 64)

    with pytest.raises(FlowProblem, match=rf"POST to the webhook '{name}' failed with status 410"):
        poll(forward_to=name)
    provider.faults.clear()
    report = poll(forward_to=name)

    assert sorted(provider.opted_out) == [f"42077700000{index}" for index in range(3)]
    assert report.forwarded == 3
    assert len(set(provider.request_ids)) == 3


def test_a_failure_names_the_call_the_status_and_what_to_do(poll, provider):
    provider.faults["/v1/inbox"] = deque([401])

    with pytest.raises(Unauthorized, match=r"GET /inbox of \S+ failed with status 401: Not now\. Check the key in"):
        poll()


def test_what_may_pass_is_tried_again(poll, provider, name):
    provider.inbox[today()] = [row(1, "Hello")]
    provider.faults["/hook"] = deque([503])

    report = poll(forward_to=name)

    assert (report.forwarded, provider.calls["/hook"]) == (1, 2)


def test_an_unknown_webhook_or_account_is_one_sentence(poll, ledger_file):  # noqa: ARG001
    with pytest.raises(FlowProblem, match="There is no block 'Webhook' of the name 'nowhere'"):
        poll(forward_to="nowhere")
    with pytest.raises(FlowProblem, match="There is no block 'Messaging Account' of the name 'nobody'"):
        asyncio.run(poll_inbox(Inbox(account="nobody")))


@pytest.fixture
def process(name, ledger_file, tmp_path, prefect):
    parameters = {"inbox": {"account": name, "forward_to": name}}
    environment = {"PREFECT_API_URL": prefect, "DOVECOTE_LEDGER": ledger_file}
    return FlowProcess("flows.inbox:poll_inbox", parameters, environment, tmp_path / "flow.log")


def test_killed_again_and_again_it_goes_on_and_each_message_is_handled_once(process, provider, ledger_file, prefect):
    provider.inbox[today()] = [row(index, "STOP" if index % 2 else "Hello") for index in range(40)]
    moments = {("/v1/optout", 0), ("/hook", 1), ("/hook", 20)}

    def kill_once(path):
        if (moment := (path, len(provider.handed_on))) in moments:
            moments.discard(moment)
            process.kill()

    provider.on_call = kill_once
    while moments:
        assert process.run() < 0
        let_the_turn_end(ledger_file)
    assert process.run() == 0, process.log.read_text()[-3000:]

    assert set(provider.opted_out) == {f"4207770000{index:02}" for index in range(1, 40, 2)}
    assert len(set(provider.request_ids)) == 40
    assert {one["sender"] for one in provider.handed_on} == {f"4207770000{index:02}" for index in range(40)}
    account = process.parameters["inbox"]["account"]
    assert len(events_about(prefect, f"dovecote.account.{account}", 40)) == 40


def let_the_turn_end(address):
    book = open_ledger(address)
    with book.write() as connection:
        connection.execute(update(turns).values(held_until=0))
    book.close()


def test_equal_messages_are_told_apart_by_their_count():
    message = InboundMessage.model_validate(row(1, "Hello"))

    first = [each for each, _ in identified([message, message])]

    assert len(set(first)) == 2
    assert [each for each, _ in identified([message, message, message])][:2] == first


def test_an_hour_after_midnight_the_date_before_is_still_read():
    just_after = datetime(2026, 3, 2, 0, 30, tzinfo=UTC).timestamp()

    assert next_mark(just_after).isoformat() == "2026-03-01"
    assert [day.isoformat() for day in dates_to_read("2026-02-28", 5, just_after)] == [
        "2026-02-28",
        "2026-03-01",
        "2026-03-02",
    ]


def test_a_number_is_shown_so_that_nobody_can_call_it():
    assert masked("420777123456") == "420…456"
    assert masked("12345") == "…"
