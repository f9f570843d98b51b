"""The sending calls: what is accepted, what is rejected by itself, what refuses the whole (specification 2, 4.1)."""

import json
from uuid import UUID

import pytest
from running_service import RunningService
from sqlalchemy import select

from messaging_service.schedule import EVERYTHING_ELSE, PRIORITY, TRANSACTIONAL
from messaging_service.store.tables import messages

NUMBER, OTHER, TEST = "420601123456", "420601123457", "420777777777"


def message(*numbers: object, **fields: object) -> dict:
    return {"to": [{"phone_number": number} for number in numbers], "body": "Hello", "tag": "news"} | fields


def status(service: RunningService, message_id: str) -> dict:
    return service.api.get("/v1/message", params={"id": message_id}).json()["message"]


def queue_of(service: RunningService, message_id: str) -> int:
    status(service, message_id)  # whoever looks files it
    with service.store.reading() as connection:
        return connection.execute(select(messages.c.queue).where(messages.c.message_id == message_id)).scalar_one()


def test_each_recipient_of_a_message_gets_an_id_under_its_index(service: RunningService):
    answer = service.api.post("/v2/message", json=message(TEST, TEST, TEST))

    told = answer.json()
    assert answer.status_code == 200
    assert told.keys() == {"request_id", "accepted", "rejected"}
    assert [item["key"] for item in told["accepted"]] == ["0", "1", "2"]
    assert len({str(UUID(item["message_id"])) for item in told["accepted"]}) == 3
    assert str(UUID(told["request_id"])) == told["request_id"]
    assert [status(service, item["message_id"])["request_id"] for item in told["accepted"]] == [told["request_id"]] * 3


def test_each_object_of_several_gets_one_id_and_its_recipients_numbers_behind_it(service: RunningService):
    told = service.api.post("/v2/messages", json=[message(TEST, TEST), message(TEST)]).json()

    first, second = (item["message_id"] for item in told["accepted"])
    assert [item["key"] for item in told["accepted"]] == ["0", "1"]
    assert str(UUID(first)) == first
    assert [status(service, name) is not None for name in (f"{first}-0", f"{first}-1", f"{second}-0")] == [True] * 3
    assert [status(service, name) for name in (first, f"{first}-2")] == [None, None]


def test_a_call_takes_ten_objects_of_ten_recipients(service_on_sqlite):
    answer = service_on_sqlite.api.post("/v2/messages", json=[message(*[TEST] * 10)] * 10)

    assert len(answer.json()["accepted"]) == 10


def test_recipients_that_cannot_be_are_rejected_and_the_others_accepted(service_on_sqlite):
    told = service_on_sqlite.api.post("/v2/message", json=message(TEST, "", TEST, 5)).json()

    assert [item["key"] for item in told["accepted"]] == ["0", "2"]
    assert [item["key"] for item in told["rejected"]] == ["1", "3"]
    assert all(f"to[{item['key']}].phone_number" in item["message"] for item in told["rejected"])


def test_a_message_without_a_usable_recipient_is_answered_with_rejections_only(service_on_sqlite):
    answer = service_on_sqlite.api.post("/v2/message", json=message(""))

    assert (answer.status_code, answer.json()["accepted"], len(answer.json()["rejected"])) == (200, [], 1)


def test_objects_that_cannot_be_are_rejected_and_the_others_accepted(service_on_sqlite):
    bad = [message(TEST, body=None), message(*[TEST] * 11), message(TEST, flow=[]), "nothing"]

    told = service_on_sqlite.api.post("/v2/messages", json=[message(TEST), *bad]).json()

    assert [item["key"] for item in told["accepted"]] == ["0"]
    assert [item["key"] for item in told["rejected"]] == ["1", "2", "3", "4"]
    assert [name in item["message"] for name, item in zip(("body", "to", "flow"), told["rejected"], strict=False)] == [
        True,
        True,
        True,
    ]


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/v2/message", message(*[TEST] * 11), "to"),
        ("/v2/message", message(), "to"),
        ("/v2/message", message(TEST, body=None), "body"),
        ("/v2/message", message(TEST, flow=[]), "flow"),
        ("/v2/message", message(TEST, flow=[{"sms": {"gateway": "golden"}}]), "flow[0].sms.gateway"),
        ("/v2/message/priority", message(TEST, sender="longer than eleven"), "sender"),
        ("/v2/messages", [], ""),
        ("/v2/messages", [message(TEST)] * 11, ""),
        ("/v2/messages", message(TEST), ""),
    ],
)
def test_what_is_wrong_with_a_whole_call_is_named_by_its_field(service_on_sqlite, path, body, field):
    answer = service_on_sqlite.api.post(path, json=body)

    told = answer.json()
    assert (answer.status_code, told.keys()) == (400, {"message", "errors"})
    assert [error["field"] for error in told["errors"]] == [field]
    assert told["message"] == told["errors"][0]["message"]


@pytest.mark.parametrize("number", ["1e999", "9" * 30])
def test_a_payload_beside_something_bad_is_refused_as_it_would_be_alone(service_on_sqlite, number):
    recipients = '[{"phone_number": "420777777777"}, {}]'
    message = f'{{"to": {recipients}, "body": "Hello", "payload": {{"large": {number}}}}}'
    json = {"Content-Type": "application/json"}

    one = service_on_sqlite.api.post("/v2/message", content=message, headers=json)
    many = service_on_sqlite.api.post("/v2/messages", content=f"[{message}, 5]", headers=json)
    checked = service_on_sqlite.api.post("/v1/messaging/validate", content=f"[{message}]", headers=json)

    assert (one.status_code, one.json()["errors"][-1]["field"]) == (400, "payload")
    assert [item["key"] for item in many.json()["rejected"]] == ["0", "1"]
    assert checked.json()["validate"]["accepted"] == 0


def test_what_is_not_json_is_refused(service_on_sqlite):
    answer = service_on_sqlite.api.post("/v2/message", content=b"{", headers={"content-type": "application/json"})

    assert answer.status_code == 400
    assert answer.json().keys() == {"message", "errors"}


@pytest.mark.parametrize("path", ["/v2/message", "/v2/message/priority", "/v2/messages"])
def test_a_request_over_one_mebibyte_is_refused(service_on_sqlite, path):
    body = json.dumps(message(TEST, payload={"text": "x" * 1024 * 1024}))

    answer = service_on_sqlite.api.post(path, content=body, headers={"content-type": "application/json"})

    assert answer.status_code == 413
    assert "1 MiB" in answer.json()["message"]


def test_a_request_of_the_recommended_size_is_taken(service_on_sqlite):
    answer = service_on_sqlite.api.post("/v2/message", json=message(TEST, payload={"text": "x" * 127 * 1024}))

    assert answer.status_code == 200


def test_a_long_body_is_sent_as_its_first_thousand_characters(service_on_sqlite):
    told = service_on_sqlite.api.post("/v2/message", json=message(TEST, body="ž" * 1001)).json()

    assert status(service_on_sqlite, told["accepted"][0]["message_id"])["body"] == "ž" * 1000


@pytest.mark.parametrize(
    ("path", "tag", "queue"),
    [
        ("/v2/message", "priority", PRIORITY),
        ("/v2/message", "transactional", TRANSACTIONAL),
        ("/v2/message", "promotional", EVERYTHING_ELSE),
        ("/v2/message/priority", "promotional", PRIORITY),
    ],
)
def test_the_queue_is_that_of_the_tag_or_the_path(service_on_sqlite, path, tag, queue):
    told = service_on_sqlite.api.post(path, json=message(TEST, tag=tag)).json()

    assert queue_of(service_on_sqlite, told["accepted"][0]["message_id"]) == queue


def test_the_deprecated_name_of_a_tag_is_understood(service_on_sqlite):
    body = {"to": [{"phone_number": TEST}], "body": "Hello", "messageTag": "Spring Sale,b"}

    told = service_on_sqlite.api.post("/v2/message", json=body).json()

    assert status(service_on_sqlite, told["accepted"][0]["message_id"])["tag"] == "b,springsale"


@pytest.mark.parametrize("names", [("phone_number", "message", "datetime"), ("number", "body", "time")])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_simple_message_is_sent_by_query_or_form_under_either_name(service: RunningService, method, names):
    number, text, moment = names
    later = {number: NUMBER, text: "Hello", "sender": "Dove", "customID": "17", moment: "2100-01-01T00:00:00Z"}
    given = {"params": later} if method == "GET" else {"data": later}

    answer = service.api.request(method, "/v2/simple/message", **given)

    told = answer.json()
    record = status(service, told["message_id"])
    assert (answer.status_code, told.keys()) == (200, {"request_id", "message_id", "accepted"})
    assert told["accepted"] is True
    assert (record["status_code"], record["body"], record["payload"]) == ("100", "Hello", {"customID": "17"})


def test_a_simple_message_goes_with_the_default_sender_and_the_gateway_asked_for(service: RunningService):
    given = {"phone_number": NUMBER, "message": "Hello", "gateway": "lowcost"}

    told = service.api.post("/v2/simple/message", data=given).json()

    record = service.wait_for_status(told["message_id"], delivery_code="201")
    day = service.api.get("/v1/messages", params={"date": record["ts_created"][:10]}).json()["messages"]
    assert record["flow"] == [{"sms": {"gateway": "lowcost"}}]
    assert [row["sender"] for row in day] == ["Dovecote"]


@pytest.mark.parametrize("missing", ["phone_number", "message"])
def test_a_simple_message_needs_a_number_and_a_text(service_on_sqlite, missing):
    given = {"phone_number": NUMBER, "message": "Hello"}
    del given[missing]

    answers = [
        service_on_sqlite.api.get("/v2/simple/message", params=given),
        service_on_sqlite.api.post("/v2/simple/message", data=given),
    ]

    assert [answer.status_code for answer in answers] == [400, 400]
    assert [answer.json()["errors"][0]["field"] for answer in answers] == [missing, missing]


def test_a_simple_message_that_is_not_in_utf_8_is_refused(service_on_sqlite):
    broken = "number=420777123456&message=%E8esky"

    by_query = service_on_sqlite.api.get(f"/v2/simple/message?{broken}")
    by_form = service_on_sqlite.api.post(
        "/v2/simple/message", content=broken, headers={"Content-Type": "application/x-www-form-urlencoded"}
    )

    assert (by_query.status_code, by_form.status_code) == (400, 400)
    assert by_query.json()["message"] == "The query must be in UTF-8, with at most 100 fields."


def test_a_simple_message_of_another_content_type_is_refused(service_on_sqlite):
    answer = service_on_sqlite.api.post("/v2/simple/message", json={"phone_number": NUMBER, "message": "Hello"})

    told = {"message": "Content-Type must be application/x-www-form-urlencoded."}
    assert (answer.status_code, answer.json()) == (415, told)


def test_only_the_simple_call_by_query_takes_the_key_as_a_parameter(service_on_sqlite):
    nobody, key = service_on_sqlite.client(None), {"apikey": service_on_sqlite.key}
    simple = {"phone_number": TEST, "message": "Hello"}

    by_query = nobody.get("/v2/simple/message", params=key | simple)
    others = [
        nobody.post("/v2/simple/message", params=key, data=simple),
        nobody.post("/v2/message", params=key, json=message(TEST)),
        nobody.get("/v1/apikey/me", params=key),
        nobody.post("/v1/optout", params=key, json={"to": TEST}),
    ]

    assert by_query.json()["accepted"] is True
    assert [answer.status_code for answer in others] == [400, 400, 401, 401]
    assert "Message" in others[0].json()


def test_a_moment_a_minute_ahead_or_past_is_now_and_a_later_one_waits(service: RunningService):
    moments = ["2020-01-01T00:00:00Z", "2100-01-01T00:00:00Z"]

    ids = [
        service.api.post("/v2/message", json=message(NUMBER, datetime=moment)).json()["accepted"][0]["message_id"]
        for moment in moments
    ]

    service.wait_for_status(ids[0], delivery_code="201")
    assert status(service, ids[1])["status_code"] == "100"


def test_the_payload_comes_back_in_the_status(service_on_sqlite):
    payload = {"order": 17, "nested": {"list": [1, None, "ž"]}}

    told = service_on_sqlite.api.post("/v2/message", json=message(TEST, payload=payload)).json()

    assert status(service_on_sqlite, told["accepted"][0]["message_id"])["payload"] == payload
