"""WhatsApp through a platform like the Cloud API: what it is sent, what its answers mean, what it reports."""

import hashlib
import hmac
import json

import pytest
from httpx import QueryParams
from logged_events import events_of
from running_service import run_service
from serving_in_threads import address_of, serving_at, taken_place
from sqlalchemy import select
from starlette.responses import JSONResponse, Response
from structlog.testing import capture_logs
from whatsapp import (
    PERSON,
    PHONE,
    SECRET,
    SENDER,
    TOKEN,
    WORD,
    WhatsApp,
    access,
)

from messaging_service.channels.chat_app.cloud_api import TRY_AGAIN_AFTER
from messaging_service.channels.chat_app.fakes.cloud_api import VERSION, FakeCloudApi, error
from messaging_service.clock import MINUTE, SECOND
from messaging_service.store.tables import messages

TEXT = {"whatsapp_text": {"sender": SENDER}}
TEMPLATE = {"whatsapp_template": {"sender": SENDER, "template_name": "parcel", "language": "cs"}}
SMS = {"sms": {}}
VALUES = {"params": ["Eva", "17"], "params_header": ["Order"], "params_buttons": ["a", "b"]}


def test_a_text_answers_a_person_and_is_seen(whatsapp: WhatsApp):
    assert whatsapp.write("420601129009", "Where is it?") == 200

    message_id = whatsapp.send("420601129009", TEXT)

    record = whatsapp.reaches(message_id, delivery_code="202")
    assert (record["status_code"], record["flow_index"], record["price"]) == ("200", "0", 0.5)
    assert all(record[name] for name in ("ts_sent", "ts_delivered", "ts_seen"))
    (taken,) = whatsapp.taken("420601129009")
    assert taken | {"id": ""} == {
        "messaging_product": "whatsapp",
        "recipient_type": "individual",
        "to": "420601129009",
        "type": "text",
        "text": {"preview_url": False, "body": "Hello"},
        "biz_opaque_callback_data": f"{message_id}:0",
        "id": "",
        "phone": PHONE,
    }


def test_a_template_is_sent_with_its_values(whatsapp_on_sqlite: WhatsApp):
    step = {"whatsapp_template": TEMPLATE["whatsapp_template"] | VALUES}

    message_id = whatsapp_on_sqlite.send("420601120001", step, body=None)

    whatsapp_on_sqlite.reaches(message_id, delivery_code="201")
    (taken,) = whatsapp_on_sqlite.taken("420601120001")
    assert (taken["type"], taken["template"]["name"], taken["template"]["language"]) == (
        "template",
        "parcel",
        {"code": "cs"},
    )
    assert taken["template"]["components"] == [
        {"type": "header", "parameters": [{"type": "text", "text": "Order"}]},
        {"type": "body", "parameters": [{"type": "text", "text": "Eva"}, {"type": "text", "text": "17"}]},
        {"type": "button", "sub_type": "url", "index": "0", "parameters": [{"type": "text", "text": "a"}]},
        {"type": "button", "sub_type": "url", "index": "1", "parameters": [{"type": "text", "text": "b"}]},
    ]


@pytest.mark.parametrize(
    ("number", "answer", "told"),
    [
        ("420601120101", error(400, 131042, "Payment issue", "There is a payment method issue"), "131042"),
        ("420601120102", error(400, 131026, "Message undeliverable"), "[131026] Message undeliverable"),
        ("420601120103", JSONResponse({"error": {"code": 368}}, 400), "[368]"),
        ("420601120104", JSONResponse({"error": {"message": "Blocked"}}, 403), "Blocked"),
        ("420601120105", Response(status_code=401), "Unauthorized error"),
        ("420601120106", error(401, 190, "Access token has expired"), "[190] Access token has expired"),
    ],
)
def test_what_the_platform_refuses_fails_with_its_words_and_is_refunded(whatsapp_on_sqlite, number, answer, told):
    whatsapp_on_sqlite.platform.will_answer.append(answer)

    message_id = whatsapp_on_sqlite.send(number, TEMPLATE)

    record = whatsapp_on_sqlite.reaches(message_id, delivery_code="203")
    assert told in record["status_info"]
    assert record["price"] == 0


def test_a_refused_step_gives_way_to_the_next(whatsapp: WhatsApp):
    message_id = whatsapp.send("420601129002", TEMPLATE, SMS, SMS)

    record = whatsapp.reaches(message_id, flow_index="2", delivery_code="203")

    assert record["flow_status"]["0"] == {"status_code": "200", "delivery_code": "203"}


def test_what_the_platform_reports_as_failed_stays_paid_and_gives_way(whatsapp: WhatsApp):
    message_id = whatsapp.send("420601129008", TEMPLATE, SMS)

    record = whatsapp.reaches(message_id, flow_index="1", delivery_code="201")

    assert record["price"] == pytest.approx(1.2 + 0.85)


def test_a_failure_that_is_reported_says_why(whatsapp_on_sqlite: WhatsApp):
    message_id = whatsapp_on_sqlite.send("420601119001", TEMPLATE)

    record = whatsapp_on_sqlite.reaches(message_id, delivery_code="203")

    assert record["status_info"] == "[131026] Message undeliverable"


@pytest.mark.parametrize(
    ("number", "busy"),
    [
        ("420601120201", JSONResponse({"error": {"code": 130429}}, 400, {"retry-after": "1"})),
        ("420601120202", JSONResponse({"error": {"code": 131056}}, 400, {"retry-after": "1"})),
        ("420601120203", Response(status_code=429, headers={"retry-after": "0"})),
    ],
)
def test_a_platform_that_throttles_gets_the_message_later_and_once(whatsapp_on_sqlite: WhatsApp, number, busy):
    whatsapp_on_sqlite.platform.will_answer.append(busy)

    message_id = whatsapp_on_sqlite.send(number, TEMPLATE)

    whatsapp_on_sqlite.reaches(message_id, delivery_code="201")
    assert len(whatsapp_on_sqlite.taken(number)) == 1


@pytest.mark.parametrize(
    ("number", "answer"),
    [
        ("420601120301", Response("<html>", 200)),
        ("420601120302", JSONResponse({"messages": []}, 200)),
        ("420601120303", Response("Bad gateway", 502)),
        ("420601120304", error(500, 131000, "Something went wrong")),
        ("420601120305", Response("?", 418)),
        ("420601120306", Response(status_code=302, headers={"location": "https://elsewhere.example"})),
    ],
)
def test_an_answer_that_is_not_understood_leaves_the_message_in_doubt(whatsapp_on_sqlite: WhatsApp, number, answer):
    whatsapp_on_sqlite.platform.will_answer.append(answer)

    message_id = whatsapp_on_sqlite.send(number, TEMPLATE)
    whatsapp_on_sqlite.service.wait_until(lambda: not whatsapp_on_sqlite.platform.will_answer)
    later = whatsapp_on_sqlite.send(number, TEMPLATE, body="Later")
    whatsapp_on_sqlite.reaches(later, delivery_code="201")

    record = whatsapp_on_sqlite.status(message_id)
    assert (record["status_info"], record["ts_sent"], record["price"]) == ("sending", None, 1.2)
    assert len(whatsapp_on_sqlite.taken(number)) == 1


def test_what_is_in_doubt_is_held_and_still_hears_what_is_reported(whatsapp: WhatsApp):
    whatsapp.platform.will_answer.append(Response("?", 502))
    message_id = whatsapp.send(PERSON, TEMPLATE)
    whatsapp.service.wait_until(lambda: not whatsapp.platform.will_answer)
    whatsapp.service.clock.move(2 * MINUTE)

    taken = {"id": "wamid.A", "to": PERSON, "phone": PHONE, "biz_opaque_callback_data": f"{message_id}:0"}
    whatsapp.report(taken, "delivered")

    whatsapp.reaches(message_id, delivery_code="201")
    assert whatsapp.taken(PERSON) == []


def test_the_end_of_time_leads_on_and_late_reports_change_nothing(whatsapp: WhatsApp):
    silent = "420601129003"
    message_id = whatsapp.send(silent, {"whatsapp_template": TEMPLATE["whatsapp_template"] | {"ttl": 0.5}}, SMS)
    whatsapp.reaches(message_id, status_info="sent")
    whatsapp.service.clock.move(31 * SECOND)
    before = whatsapp.reaches(message_id, flow_index="1", status_info="sent")

    for status in ("delivered", "read", "failed"):
        assert whatsapp.report(whatsapp.taken(silent)[0], status) == 200
    whatsapp.write("420601120401")  # what comes after the reports is there: so are they

    assert whatsapp.status(message_id) == before
    assert before["price"] == pytest.approx(1.2 + 0.85)
    assert before["flow_status"] == {
        "0": {"status_code": "200", "delivery_code": None},
        "1": {"status_code": "200", "delivery_code": None},
    }


def test_a_sender_that_is_not_set_up_fails_without_a_word_to_the_platform(whatsapp_on_sqlite: WhatsApp):
    step = {"whatsapp_template": TEMPLATE["whatsapp_template"] | {"sender": "Nobody"}}

    message_id = whatsapp_on_sqlite.send("420601120501", step)

    record = whatsapp_on_sqlite.reaches(message_id, delivery_code="203")
    assert record["status_info"] == "[3] This sender isn't set up for WhatsApp"
    assert whatsapp_on_sqlite.taken("420601120501") == []


def test_the_webhook_confirms_its_address_to_whoever_knows_the_word(whatsapp_on_sqlite: WhatsApp):
    asked = QueryParams({"hub.mode": "subscribe", "hub.verify_token": WORD, "hub.challenge": "1158201444"})
    client = whatsapp_on_sqlite.service.client(None)

    confirmed = client.get("/chatapp/webhook", params=asked)
    refused = client.get("/chatapp/webhook", params=asked.set("hub.verify_token", "another"))

    assert (confirmed.status_code, confirmed.text) == (200, "1158201444")
    assert (refused.status_code, refused.text) == (403, "Wrong verify token.")


def signed(body: bytes, secret: str = SECRET) -> dict[str, str]:
    return {"x-hub-signature-256": f"sha256={hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()}"}


@pytest.mark.parametrize("headers", [{}, {"x-hub-signature-256": "sha256=ž"}, signed(b"{}", "another secret")])
def test_a_report_that_the_platform_did_not_sign_is_refused(whatsapp_on_sqlite: WhatsApp, headers):
    encoded = {name: value.encode() for name, value in headers.items()}

    answer = whatsapp_on_sqlite.webhook(b"{}", **encoded)

    assert (answer.status_code, answer.text) == (403, "Wrong signature.")


def test_a_report_that_is_too_large_is_refused(whatsapp_on_sqlite: WhatsApp):
    assert whatsapp_on_sqlite.webhook(b" " * (3 * 1024 * 1024 + 1)).status_code == 413


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b'{"entry": 1}',
        b'{"entry": [{"changes": [{"field": "messages", "value": {"statuses": [{"status": "sent"}]}}]}]}',
        b'{"entry": [{"changes": [{"field": "messages", "value": {"messages": [{"id": 1, "from": {}}]}}]}]}',
        b'{"entry": [{"changes": [{"field": "account_update", "value": {}}]}]}',
    ],
)
def test_a_report_that_is_not_understood_holds_no_other_up(whatsapp_on_sqlite: WhatsApp, body):
    answer = whatsapp_on_sqlite.webhook(body, **signed(body))

    assert answer.status_code == 200
    assert whatsapp_on_sqlite.write("420601120601") == 200


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"type": "button", "button": {"text": "Yes"}}, "Yes"),
        ({"type": "interactive", "interactive": {"type": "button_reply", "button_reply": {"title": "No"}}}, "No"),
        ({"type": "image", "image": {"id": "1"}}, "[image]"),
        ({"type": "text", "text": {"body": "Ahoj\x00!"}}, "Ahoj!"),
    ],
)
def test_what_people_press_and_show_is_in_the_inbox(whatsapp_on_sqlite: WhatsApp, message, words):
    whole = {"id": f"wamid.{words}", "from": PERSON, "timestamp": "1772445600", **message}
    value = {"metadata": {"phone_number_id": PHONE}, "messages": [whole]}
    body = json.dumps({"entry": [{"changes": [{"field": "messages", "value": value}]}]}).encode()

    for _ in range(2):
        whatsapp_on_sqlite.webhook(body, **signed(body))

    def arrived():
        return [each for each in whatsapp_on_sqlite.inbox() if each["body"] == words]

    whatsapp_on_sqlite.service.wait_until(arrived)
    assert len(arrived()) == 1
    assert (arrived()[0]["to"], arrived()[0]["gateway"]) == (SENDER, "whatsapp_text")


def test_neither_secrets_nor_numbers_nor_texts_reach_the_log(whatsapp_on_sqlite: WhatsApp):
    platform = whatsapp_on_sqlite.platform
    platform.will_answer.append(Response(f"{TOKEN} 420601120701 Hello", 502))

    with capture_logs() as logged:
        whatsapp_on_sqlite.send("420601120701", TEMPLATE, body="Hello")
        whatsapp_on_sqlite.service.wait_until(lambda: not platform.will_answer)
        whatsapp_on_sqlite.webhook(b"{}", **signed(b"{}", "another"))
        whatsapp_on_sqlite.service.wait_until(lambda: len(events_of("chat-app", logged)) >= 2)

    assert set(events_of("chat-app", logged)) == {"chat-app.not-understood", "chat-app.wrong-signature"}
    assert not any(word in str(logged) for word in (TOKEN, SECRET, "420601120701", "Hello"))


def test_a_platform_that_cannot_be_reached_gets_the_message_when_it_can(tmp_path):
    platform = FakeCloudApi(TOKEN, SECRET, {PHONE: SENDER})

    with (
        taken_place() as place,  # where nobody listens yet
        run_service(
            f"sqlite:///{tmp_path}/dovecote.db", tmp_path, **access(f"{address_of(place)}/{VERSION}")
        ) as service,
    ):
        message = {"to": [{"phone_number": PERSON}], "flow": [TEMPLATE]}
        service.api.post("/v2/message", json=message)
        service.wait_until(lambda: next_attempt(service))
        with serving_at(place, platform.application()):
            service.clock.move(TRY_AGAIN_AFTER)
            service.wait_until(lambda: platform.taken)

    assert len(platform.taken) == 1


def next_attempt(service):
    """Whether a message that is being sent waits for another attempt, and not for a worker."""
    with service.store.reading() as connection:
        found = connection.execute(select(messages.c.state, messages.c.in_doubt)).all()
    return found == [("sending", False)]


def test_ready_says_where_whatsapp_goes(whatsapp_on_sqlite: WhatsApp):
    notice = whatsapp_on_sqlite.service.client(None).get("/readyz").json()["notice"]

    assert notice.startswith(f"WhatsApp goes to {whatsapp_on_sqlite.service.settings.chat_app_url}.")


def test_a_whole_batch_goes_out_at_once(whatsapp_on_sqlite: WhatsApp):
    numbers = [f"4206011300{number:02}" for number in range(10)]
    to = [{"phone_number": number} for number in numbers]

    whatsapp_on_sqlite.api.post("/v2/message", json={"to": to, "flow": [TEMPLATE], "tag": "transactional"})

    whatsapp_on_sqlite.service.wait_until(lambda: all(map(whatsapp_on_sqlite.taken, numbers)))
    assert [len(whatsapp_on_sqlite.taken(number)) for number in numbers] == [1] * 10
