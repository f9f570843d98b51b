"""Inbound messages: whose they are, recorded once, told, and answered (details, "Notifications")."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from bench import Bench
from logged_events import events_of
from sqlalchemy import select
from structlog.testing import capture_logs
from writing import PERSON, incoming, received, sent, write, written

from interface.flow_steps import Channel
from messaging_service.clock import HOUR, SECOND
from messaging_service.inbound.recorder import InboundRecorder
from messaging_service.store.tables import mails

VIBER = [{"viber": {"sender": "Dove"}}]


def test_an_answer_belongs_to_the_latest_message_of_that_sender_to_that_number(bench: Bench):
    sent(bench, payload={"order": 1})
    (latest,) = sent(bench, payload={"order": 2})
    sent(bench, sender="Another")
    sent(bench, "420601999888")

    write(bench, "Thank you")

    (row,) = received(bench)
    assert (row["key_id"], row["message_id"], row["payload"]) == (bench.key.id, latest, '{"order":2}')
    assert (row["sender"], row["recipient"], row["body"], row["gateway"]) == (PERSON, "Dovecote", "Thank you", "sms")


def test_an_answer_finds_its_message_among_hundreds_of_other_senders(bench: Bench):
    (answered,) = sent(bench, sender="First")
    for _ in range(12):
        bench.accept(*[PERSON] * 10, sender="Second", tag="transactional")
    bench.run_for(seconds=2)

    write(bench, "Hello", recipient="first")

    assert [row["message_id"] for row in received(bench)] == [answered]


@pytest.mark.parametrize(("hours", "matched"), [(71, True), (73, False)])
def test_an_answer_counts_as_one_for_72_hours(bench_on_sqlite: Bench, hours, matched):
    sent(bench_on_sqlite)
    bench_on_sqlite.clock.move(hours * HOUR)

    write(bench_on_sqlite, "Late")

    assert [row["message_id"] is not None for row in received(bench_on_sqlite)] == [matched]


def test_an_answer_is_counted_with_its_message_once(bench: Bench):
    (message_id,) = sent(bench)

    write(bench, "One")
    write(bench, "Two")

    assert bench.message(message_id).ts_replied is not None
    assert [line["count_replied"] for line in bench.statistics().values()] == [1]
    assert bench.statistics() == bench.recount()


def test_what_the_operator_repeats_is_recorded_once(bench: Bench):
    sent(bench)
    inbound = written(bench, "STOP")

    for _ in range(3):
        bench.recorder.record([inbound, inbound])

    assert len(received(bench)) == len(incoming(bench)) == 1
    assert len(bench.messages()) == 2


def test_two_workers_that_are_told_the_same_record_it_once(bench: Bench):
    sent(bench)
    inbound = written(bench, "YES")

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(bench.recorder.record, [[inbound]] * 16))

    assert len(received(bench)) == len(incoming(bench)) == 1


def test_a_message_out_of_the_blue_goes_to_the_key_whose_sender_it_names(bench: Bench):
    shop = bench.open_account(default_sender="Shop")

    write(bench, "Are you open?", recipient="Shop")

    (row,) = received(bench)
    assert (row["key_id"], row["message_id"], row["payload"]) == (shop.id, None, None)


def test_a_message_to_a_sender_of_nobody_or_of_several_accounts_is_dropped(bench: Bench):
    bench.open_account(default_sender="Dovecote")

    with capture_logs() as logged:
        write(bench, "Hello", recipient="Nobody")
        write(bench, "Hello", recipient="Dovecote")

    assert received(bench) == []
    assert events_of("inbound", logged) == ["inbound.dropped"] * 2
    assert PERSON not in str(logged)


def test_an_answer_is_told_as_a_reply_to_the_callback_of_its_message(bench: Bench):
    (message_id,) = sent(bench, payload={"order": 17})

    write(bench, "Yes, please")

    assert incoming(bench) == [
        {
            "request_id": "a-request",
            "message_id": message_id,
            "payload": {"order": 17},
            "gateway": "sms",
            "timestamp": bench.clock.now() // SECOND,
            "type": "incoming",
            "sender": PERSON,
            "recipient": "Dovecote",
            "body": "Yes, please",
        },
    ]


def test_a_message_asks_for_its_answers_at_another_address(bench: Bench):
    sent(bench, params={"_incoming": {"callback": "https://answers.example/here"}})

    write(bench, "Yes")

    assert bench.addresses()[-1] == "https://answers.example/here"


def test_a_keyword_is_answered_on_the_same_channel_whatever_its_case_and_accents(bench: Bench):
    sent(bench, sender="Shop", flow=VIBER, params={"_incoming": {"reply": {"Otevřeno": "Od 8 do 17."}}})

    write(bench, " OTEVRENO ", recipient="Dove", channel=Channel.VIBER)
    write(bench, "Otevřeno?", recipient="Dove", channel=Channel.VIBER)
    bench.run_for(seconds=1)

    *_, answer = bench.messages()
    assert bench.texts()[1:] == [("Dove", "Od 8 do 17.")]
    assert (answer.content.tags, answer.state, answer.content.flow) == (
        "transactional",
        "delivered",
        '[{"viber":{"sender":"Dove"}}]',
    )


def test_a_conversation_goes_on_after_an_answer_and_each_keyword_is_answered_once(bench: Bench):
    incoming_handling = {"callback": "https://answers.example/here", "reply": {"A": "First", "B": "Second"}}
    sent(bench, payload={"order": 17}, params={"_incoming": incoming_handling})

    for text in ("a", "b", "B", "A", "Bye"):
        write(bench, text)
        bench.run_for(seconds=1)

    assert [text for _, text in bench.texts()[1:]] == ["First", "Second"]
    assert [event["payload"] for event in incoming(bench)] == [{"order": 17}] * 5
    assert bench.addresses().count("https://answers.example/here") == 5
    assert [row["payload"] for row in received(bench)] == ['{"order":17}'] * 5


def test_an_answer_is_told_by_e_mail_once_to_whom_the_message_names(bench: Bench):
    (message_id,) = sent(bench, params={"_incoming": {"email_to": "shop@example.com"}})
    recorder = InboundRecorder(bench.store, bench.clock, sends_mail=True)
    inbound = written(bench, "Yes\r\nplease")

    recorder.record([inbound, inbound])
    recorder.record([written(bench, "Hello", recipient="Nobody")])

    with bench.store.reading() as connection:
        ((recipient, subject, body),) = connection.execute(select(mails.c.recipient, mails.c.subject, mails.c.body))
    assert (recipient, subject) == ("shop@example.com", f"Answer from +{PERSON} to Dovecote")
    assert "Yes\r\nplease" in body
    assert message_id in body


def test_that_no_e_mail_goes_out_is_logged_once(bench_on_sqlite: Bench):
    sent(bench_on_sqlite, params={"_incoming": {"email_to": "shop@example.com"}})

    with capture_logs() as logged:
        write(bench_on_sqlite, "One")
        write(bench_on_sqlite, "Two")

    assert events_of("inbound", logged) == ["inbound.no-mail"]
    assert len(received(bench_on_sqlite)) == 2


def test_one_that_fails_holds_up_no_other(bench: Bench):
    sent(bench)
    broken = written(bench, "x" * 10, channel="no channel")

    with pytest.raises(AttributeError):
        bench.recorder.record([broken, written(bench, "Fine")])

    assert [row["body"] for row in received(bench)] == ["Fine"]
