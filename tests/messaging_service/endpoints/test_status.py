"""The status of one message (specification 2.4, 4.3, details "Status")."""

import pytest
from sending import send

from interface.responses import MessageStatus
from messaging_service.clock import HOUR, iso


def status_of(service, message_id):
    return service.api.get("/v1/message", params={"id": message_id}).json()["message"]


def test_a_delivered_message_has_every_field_of_the_status_record(service):
    (message_id,) = send(service, "+420 777 123 456", payload={"order": 17}, tag="Shop,news")

    record = service.wait_for_status(message_id, delivery_code="201")

    assert record.keys() == MessageStatus.model_fields.keys()
    assert record["status_code"] == "200"
    assert record["status_info"] == "[0] Delivered"
    assert record["tag"] == "news,shop"
    assert record["body"] == "Hello"
    assert record["to"] == {"phone_number": "420777123456"}
    assert record["flow"] == [{"sms": {"gateway": "high"}}]
    assert record["flow_index"] == "0"
    assert record["flow_status"] == {"0": {"status_code": "200", "delivery_code": "201"}}
    assert record["payload"] == {"order": 17}
    assert record["price"] > 0
    assert record["ts_created"] <= record["ts_delivered"] <= record["ts_updated"]
    assert record["ts_created"] <= record["ts_sent"] <= record["ts_updated"]
    assert record["ts_seen"] is None
    assert record["ts_clicked"] is None


def test_a_rejected_message_has_its_rejection_code_and_costs_nothing(service):
    (message_id,) = send(service, "12")

    record = service.wait_for_status(message_id, status_code="302")

    assert record["status_info"] == "[302] Invalid phone number"
    assert record["delivery_code"] is None
    assert record["to"] == {"phone_number": "12"}
    assert record["price"] == 0


@pytest.mark.parametrize(
    ("number", "status_info"), [("420777129001", "[1] Undelivered"), ("420777129002", "[3] Failed")]
)
def test_a_message_that_did_not_arrive_is_undelivered(service, number, status_info):
    (message_id,) = send(service, number)

    record = service.wait_for_status(message_id, delivery_code="203")

    assert record["status_code"] == "200"
    assert record["status_info"] == status_info


def test_a_message_without_a_receipt_stays_sent(service):
    (message_id,) = send(service, "420777129003")

    record = service.wait_for_status(message_id, status_code="200", status_info="sent")

    assert record["delivery_code"] is None


def test_a_scheduled_message_waits(service):
    (message_id,) = send(service, "420777123456", datetime=iso(service.clock.now() + HOUR))

    record = status_of(service, message_id)

    assert (record["status_code"], record["delivery_code"], record["status_info"]) == ("100", None, "accepted")


def test_the_test_number_stays_accepted_for_good(service):
    test_number, other = send(service, "420777777777", "420777123456")

    service.wait_for_status(other, delivery_code="201")

    record = status_of(service, test_number)
    assert (record["status_code"], record["delivery_code"], record["price"]) == ("100", None, 0)


def test_each_step_of_a_flow_has_its_own_status(service):
    flow = [{"viber": {"sender": "Shop"}}, {"sms": {"gateway": "lowcost"}}]
    (message_id,) = send(service, "420777129008", flow=flow)

    record = service.wait_for_status(message_id, delivery_code="201")

    assert record["flow"] == flow
    assert record["flow_index"] == "1"
    assert record["flow_status"] == {
        "0": {"status_code": "200", "delivery_code": "203"},
        "1": {"status_code": "200", "delivery_code": "201"},
    }


def test_nobody_reads_the_message_of_another_account(service):
    service.open_account("the-key-of-another-account")
    (message_id,) = send(service, "420777123456")

    answer = service.client("the-key-of-another-account").get("/v1/message", params={"id": message_id})

    assert (answer.status_code, answer.json()) == (200, {"success": True, "message": None})


def test_a_key_reads_only_what_it_sent_itself(service):
    service.add_key("the-key-of-a-sub-account")
    (message_id,) = send(service, "420777123456", key="the-key-of-a-sub-account")

    answer = service.api.get("/v1/message", params={"id": message_id})

    assert answer.json()["message"] is None


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("/v1/message", "Missing id"),
        ("/v1/message?id=", "Missing id"),
        ("/v1/messages", "Missing date or xapikey"),
        ("/v1/requests", "Missing dates"),
        ("/v1/request", "Missing date or request_id"),
        ("/v1/request?date=2026-03-01", "Missing date or request_id"),
        ("/v1/request?request_id=x", "Missing date or request_id"),
        ("/v1/messages?date=2026-13-01", "date must be a date written YYYY-MM-DD."),
        (
            "/v1/messages?date=2026-03-01&phone_number=%00",
            "phone_number must not contain the NUL character.",
        ),
    ],
)
def test_a_missing_or_malformed_parameter_is_named(service_on_sqlite, path, sentence):
    answer = service_on_sqlite.api.get(path)

    assert answer.status_code == 400
    assert answer.json() == {"message": sentence}


def test_a_message_that_was_opened_is_seen(service):
    (message_id,) = send(service, "420777129009", flow=[{"viber": {"sender": "Dove"}}])

    record = service.wait_for_status(message_id, delivery_code="202")

    day = record["ts_created"][:10]
    (row,) = service.api.get("/v1/messages", params={"date": day}).json()["messages"]
    (line,) = service.api.get("/v1/requests", params={"dates": day}).json()["requests"]
    assert record["ts_delivered"] <= record["ts_seen"]
    assert (row["seen"], row["ts_seen"], row["flow"]) == (1, record["ts_seen"], "viber")
    assert line["stats"]["count_seen"] == 1
