"""What steps of WhatsApp need before they leave: the recipient's own message, or an approved template."""

from dataclasses import replace

import pytest
from bench import OTHER_CZECH, RULES, VODAFONE, Bench

from interface.flow_steps import Channel
from interface.results import Result
from messaging_service.accounts.money import UNIT
from messaging_service.channels.channel import Inbound
from messaging_service.clock import HOUR, SECOND
from messaging_service.store import chat_templates

TEXT = {"whatsapp_text": {"sender": "Dove"}}
TEMPLATE = {"template_name": "parcel", "language": "cs", "sender": "Dove", "params": ["Eva", "17"]}


def write(bench: Bench, **given) -> None:
    """Have a person write to the first account's sender."""
    values = {"id": f"chat:{bench.clock.now()}", "channel": Channel.WHATSAPP_TEXT, "phone_number": OTHER_CZECH}
    values |= {"recipient": "Dove", "body": "Hello", "at": bench.clock.now()}
    bench.recorder.record([Inbound(**(values | given))])


def of_dove(bench: Bench):
    return bench.open_account(default_sender="Dove")


def add_template(bench: Bench, key, **given) -> None:
    now = bench.clock.now()
    row = {"account_id": key.account_id, "template_id": f"{now}{given}", "waba_id": "1", "name": "parcel"}
    row |= {"language": "cs", "category": "UTILITY", "library_template_name": "delivery_update_1"}
    row |= {"status": "APPROVED", "body_count": 2, "header_count": 0, "button_count": 0}
    with bench.store.writing() as connection:
        chat_templates.add(connection, row | {"created_at": now, "updated_at": now} | given)


@pytest.mark.parametrize(("hours", "sent"), [(23, True), (25, False)])
def test_a_text_goes_within_24_hours_of_what_its_recipient_wrote(bench: Bench, hours, sent):
    key = of_dove(bench)
    write(bench)
    bench.clock.move(hours * HOUR)
    (message_id,) = bench.accept(OTHER_CZECH, key=key, flow=[TEXT])

    bench.send()

    message = bench.message(message_id)
    if sent:
        assert message.state is Result.SENT
    else:
        assert (message.state, message.code, message.charged, message.due_at) == (Result.FAILED, 131047, 0, None)
        told = bench.notifications()[-1]
        assert told["result_info"] == "[131047] More than 24 hours since the recipient's last message"
    assert bench.statistics() == bench.recount()


@pytest.mark.parametrize(
    "other",
    [{"phone_number": VODAFONE}, {"channel": Channel.SMS}, {"recipient": "Elsewhere"}],
    ids=["another number", "another channel", "another sender"],
)
def test_only_what_the_recipient_wrote_to_that_sender_on_whatsapp_opens_a_conversation(bench: Bench, other):
    key = of_dove(bench)
    bench.open_account(default_sender="Elsewhere")
    write(bench, **other)
    (message_id,) = bench.accept(OTHER_CZECH, key=key, flow=[TEXT])

    bench.send()

    assert bench.message(message_id).code == 131047


def test_what_somebody_wrote_to_another_account_opens_nothing(bench: Bench):
    of_dove(bench)
    write(bench)
    (message_id,) = bench.accept(OTHER_CZECH, flow=[TEXT])

    bench.send()

    assert bench.message(message_id).code == 131047


def test_a_text_that_may_not_go_gives_way_to_the_next_step_untold(bench: Bench):
    (message_id,) = bench.accept(OTHER_CZECH, flow=[TEXT, {"sms": {}}])

    bench.run_for(seconds=1)

    message = bench.message(message_id)
    assert (message.flow_index, message.state, message.charged) == (1, Result.DELIVERED, UNIT)
    assert bench.results_told(message_id) == ["sending", "sent", "delivered"]
    assert [event["result_info"] for event in bench.notifications()] == ["", "", "[0] Delivered"]


@pytest.mark.parametrize(
    ("template", "code"),
    [
        ({}, None),
        ({"status": "PENDING"}, 132001),
        ({"status": "REJECTED"}, 132001),
        ({"language": "sk"}, 132001),
        ({"name": "another"}, 132001),
        ({"body_count": 1}, 132000),
        ({"header_count": 1}, 132000),
        ({"button_count": 1}, 132000),
    ],
)
def test_a_template_goes_when_it_is_approved_and_gets_its_values(bench: Bench, template, code):
    add_template(bench, bench.key, **template)
    (message_id,) = bench.accept(OTHER_CZECH, flow=[{"whatsapp_template": TEMPLATE}], body=None)

    bench.send()

    message = bench.message(message_id)
    assert (message.state, message.code) == ((Result.SENT, None) if code is None else (Result.FAILED, code))
    assert message.charged == (600_000 if code is None else 0)


def test_notifications_of_whatsapp_have_its_objects(bench_on_sqlite: Bench):
    bench = bench_on_sqlite
    key = of_dove(bench)
    write(bench)
    add_template(bench, key)
    bench.accept(OTHER_CZECH, key=key, flow=[TEXT], payload={"order": 17})
    bench.accept(OTHER_CZECH, key=key, flow=[{"whatsapp_template": TEMPLATE}])

    bench.send()

    told = [event for event in bench.notifications() if event["result"] == "sent"]
    own = {"sender": "Dove", "country": 230, "operator": 0, "count": 1}
    assert [event["gateway"] for event in told] == ["whatsapp_text", "whatsapp_template"]
    assert told[0]["whatsapp_body"] == own | {"price_czk": "0.30", "price_eur": "0.012"}
    assert told[1]["whatsapp_template"] == own | {"price_czk": "0.60", "price_eur": "0.024"}
    assert not {"sms", "whatsapp_text"} & (told[0].keys() | told[1].keys())


def test_a_template_of_another_account_is_none(bench: Bench):
    add_template(bench, bench.open_account())
    (message_id,) = bench.accept(OTHER_CZECH, flow=[{"whatsapp_template": TEMPLATE}])

    bench.send()

    assert bench.message(message_id).code == 132001


def test_a_template_that_only_the_platform_may_know_is_left_to_the_platform(bench_on_sqlite: Bench):
    bench = bench_on_sqlite
    (message_id,) = bench.accept(OTHER_CZECH, flow=[{"whatsapp_template": TEMPLATE}])

    bench.submit(bench.decide(rules=replace(RULES, all_templates_known=False)))

    assert bench.message(message_id).state is Result.SENT


def test_a_flow_that_nothing_can_be_made_of_holds_nobody_up(bench_on_sqlite: Bench):
    bench = bench_on_sqlite
    (broken,) = bench.accept(OTHER_CZECH, flow=[TEXT])
    with bench.store.writing() as connection:
        connection.exec_driver_sql("""UPDATE contents SET flow = '[{"whatsapp_pigeon": {}}]'""")
    (sound,) = bench.accept(VODAFONE)

    bench.send()

    assert (bench.message(sound).state, bench.message(broken).state) == (Result.SENT, Result.ACCEPTED)
    assert bench.clock.now() + SECOND < bench.message(broken).due_at
