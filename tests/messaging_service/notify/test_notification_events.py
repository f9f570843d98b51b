import pytest
from notifying import NOON, content, move

from interface.notifications import EVENTS
from interface.results import Result
from messaging_service.notify.events import is_notified, sent_message


def test_an_event_says_everything_about_an_sms():
    sent = move(Result.DELIVERED, code=0, content=content(payload='{"order":17}'))

    event = sent_message(sent, NOON + 1_999)

    assert event == {
        "type": "outgoing",
        "request_id": "request",
        "message_id": "message-0",
        "gateway": "sms",
        "timestamp": 1_767_268_801,
        "payload": {"order": 17},
        "to": {"phone_number": "420777123456"},
        "result": "delivered",
        "result_info": "[0] Delivered",
        "sms": {
            "sender": "Dovecote",
            "country": 230,
            "operator": 3,
            "price_czk": "1.50",
            "price_eur": "0.062",
            "count": 2,
            "gateway": "high",
        },
    }


def test_an_event_is_one_that_the_interface_reads():
    event = sent_message(move(Result.DELIVERED), NOON)

    (read,) = EVENTS.validate_python([event])

    assert read.result is Result.DELIVERED
    assert read.details().count == 2


@pytest.mark.parametrize(
    ("step", "name"),
    [
        ("viber", "viber"),
        ("rcs", "rcs"),
        ("whatsapp_template", "whatsapp_template"),
        ("whatsapp_text", "whatsapp_body"),
    ],
)
def test_the_step_that_a_message_is_on_names_the_channel_and_the_sender(step, name):
    flow = f'[{{"sms":{{"gateway":"lowcost"}}}},{{"{step}":{{"sender":"Shop"}}}}]'

    event = sent_message(move(flow_index=1, content=content(flow=flow)), NOON)

    assert event["gateway"] == step
    assert event[name] == {
        "sender": "Shop",
        "country": 230,
        "operator": 3,
        "price_czk": "1.50",
        "price_eur": "0.062",
        "count": 2,
    }


def test_an_sms_step_names_its_gateway():
    event = sent_message(move(content=content(flow='[{"sms":{"gateway":"lowcost"}}]')), NOON)

    assert event["sms"]["gateway"] == "lowcost"
    assert event["sms"]["sender"] == "Dovecote"


def test_a_number_that_could_not_be_normalised_is_told_in_digits():
    refused = move(Result.REJECTED, phone_number=None, recipient="+12 (3)", mcc=None, mnc=None, code=302)

    event = sent_message(refused, NOON)

    assert event["to"] == {"phone_number": "123"}
    assert event["result_info"] == "[302] Invalid phone number"
    assert (event["sms"]["country"], event["sms"]["operator"]) == (None, 0)


def test_a_message_refused_before_it_had_a_price_tells_its_country():
    refused = move(Result.REJECTED, phone_number="4915112345678", mcc=None, mnc=None, code=304)

    told = sent_message(refused, NOON)["sms"]

    assert (told["country"], told["operator"]) == (262, 0)


@pytest.mark.parametrize("recipient", ["nobody", "12ab", "+", "٤٢٠"])
def test_what_is_no_number_is_told_as_it_was_given(recipient):
    refused = move(Result.REJECTED, phone_number=None, recipient=recipient, code=302)

    assert sent_message(refused, NOON)["to"] == {"phone_number": recipient}


@pytest.mark.parametrize("character", ["x", "1", "+"])
def test_what_is_no_number_is_told_to_64_characters(character):
    refused = move(Result.REJECTED, phone_number=None, recipient=character * 1000, code=302)

    assert sent_message(refused, NOON)["to"] == {"phone_number": character * 64}


def test_a_result_without_a_code_has_an_empty_result_info():
    event = sent_message(move(Result.SENT), NOON)

    assert event["result_info"] == ""


@pytest.mark.parametrize("state", [Result.ACCEPTED, Result.CANCELLED])
def test_what_the_response_of_a_call_tells_is_never_notified(state):
    assert not is_notified(move(state))


def test_a_move_that_keeps_the_result_is_not_notified():
    assert not is_notified(move(Result.SENDING))


def test_a_message_without_a_callback_is_not_notified():
    assert not is_notified(move(Result.SENT, content=content(callback=None)))
