"""Status and lists of messages (specification 2.4, 2.5, 4.3, details "Status")."""

import pytest
from sqlalchemy import text

from interface.responses import MessageRow, MessagesResponse, MessageStatus
from messaging_service.clock import DAY, HOUR, iso, utc_date
from messaging_service.endpoints.cursors import read_cursor, write_cursor
from messaging_service.endpoints.status import ROWS_A_PAGE
from messaging_service.refusals import InvalidRequest
from messaging_service.store import message_lists
from messaging_service.store.message_lists import Place, Wanted


def send(service, *numbers, key=None, **fields):
    """Send one message and return the ids of its recipients' copies."""
    request = {"to": [{"phone_number": number} for number in numbers], "body": "Hello", "tag": "news"} | fields
    answer = service.client(key or service.key).post("/v2/message", json=request)
    return [item["message_id"] for item in answer.json()["accepted"]]


def send_hundreds(service, hundreds):
    """Send many messages to the test number, to which nothing happens, and return the ids of the recipients' copies."""
    message = {"to": [{"phone_number": "420777777777"}] * 10, "body": "Hello"}
    answers = [service.api.post("/v2/messages", json=[message] * 10).json() for _ in range(hundreds)]
    objects = [item["message_id"] for answer in answers for item in answer["accepted"]]
    return [f"{message_id}-{index}" for message_id in objects for index in range(10)]


def today(service):
    return utc_date(service.clock.now())


def status_of(service, message_id):
    return service.api.get("/v1/message", params={"id": message_id}).json()["message"]


def listed(service, **query):
    return service.api.get("/v1/messages", params={"date": today(service), **query}).json()["messages"]


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


def test_a_row_has_every_field_of_the_list(service):
    (message_id,) = send(service, "420777123456", sender="Shop")
    service.wait_for_status(message_id, delivery_code="201")

    (row,) = listed(service)

    assert row.keys() == MessageRow.model_fields.keys()
    assert row["message_id"] == message_id
    assert row["message_parts"] == 1
    assert (row["sent"], row["delivered"], row["nondelivered"], row["seen"]) == (1, 1, 0, 0)
    assert (row["body"], row["flow"], row["sender"], row["phone_number"]) == ("Hello", "sms", "Shop", "420777123456")
    assert float(row["price_czk"]) > 0
    assert float(row["price_eur"]) > 0


def test_a_row_counts_what_left_and_did_not_arrive(service):
    (message_id,) = send(service, "420777129001")
    service.wait_for_status(message_id, delivery_code="203")

    (row,) = listed(service)

    assert (row["sent"], row["delivered"], row["nondelivered"]) == (1, 0, 1)


def test_a_list_holds_the_messages_of_its_date_only(service):
    send(service, "420777123456")
    yesterday = utc_date(service.clock.now() - DAY)

    answer = service.api.get("/v1/messages", params={"date": yesterday})

    assert answer.json() == {"success": True, "messages": [], "next_cursor": None}


def test_tags_are_normalised_and_sorted_before_they_are_compared(service):
    send(service, "420777123456", tag="news,shop")
    send(service, "420777123457", tag="news")

    rows = listed(service, tag="Shop, NEWS")

    assert [row["phone_number"] for row in rows] == ["420777123456"]


@pytest.mark.parametrize("asked", ["420777123456", "+420 777 123 456", "777123456"])
def test_a_number_is_found_however_it_is_written(service, asked):
    send(service, "777 123 456", "420777123457")
    (message_id,) = send(service, "777123456", datetime=iso(service.clock.now() + HOUR))
    service.wait_until(
        lambda: all(row["sent"] for row in listed(service, tag="news") if row["message_id"] != message_id)
    )

    rows = listed(service, phone_number=asked)

    assert len(rows) == (1 if asked != "777123456" else 2)


def test_pages_lead_through_all_rows_once(service):
    sent = send_hundreds(service, 11)
    rows, cursor, sizes = [], "", []

    while cursor is not None:
        answer = service.api.get("/v1/messages", params={"date": today(service), "cursor": cursor})
        page = MessagesResponse.model_validate(answer.json())
        rows += [row.message_id for row in page.messages]
        sizes.append(len(page.messages))
        cursor = page.next_cursor

    assert sorted(rows) == sorted(sent)
    assert sizes == [ROWS_A_PAGE, ROWS_A_PAGE, 100]


def test_rows_that_arrive_while_pages_are_read_push_nothing_aside(service):
    first = send_hundreds(service, 6)
    before = service.api.get("/v1/messages", params={"date": today(service)}).json()
    second = send(service, "420777777777")

    after = listed(service, cursor=before["next_cursor"])

    rows = [row["message_id"] for row in [*before["messages"], *after]]
    assert sorted(rows) == sorted(first + second)


@pytest.mark.parametrize("cursor", ["x", "0" * 23, "0" * 25, "é" * 24, "a b" * 8, "=" * 24])
def test_a_malformed_cursor_is_refused(service_on_sqlite, cursor):
    answer = service_on_sqlite.api.get("/v1/messages", params={"date": "2026-03-01", "cursor": cursor})

    assert answer.status_code == 400
    assert answer.json() == {"message": "cursor must be the next_cursor of the page before."}


def test_a_cursor_is_the_place_it_was_written_for():
    place = Place("01890a5d-ac96-774b-bcce-b302099a8057", 9)

    assert read_cursor(write_cursor(place)) == place
    with pytest.raises(InvalidRequest):
        read_cursor("")


def test_a_parent_reads_its_sub_account_and_nobody_else_does(service):
    service.add_key("the-key-of-a-sub-account", subid="shop")
    service.open_account("the-key-of-another-account")
    (message_id,) = send(service, "420777123456", key="the-key-of-a-sub-account")
    query = {"date": today(service), "subid": "shop"}

    parent, child, stranger = (
        [row["message_id"] for row in service.client(key).get("/v1/messages", params=query).json()["messages"]]
        for key in (service.key, "the-key-of-a-sub-account", "the-key-of-another-account")
    )

    assert (parent, child, stranger) == ([message_id], [message_id], [])
    assert listed(service) == []


def test_a_sub_account_does_not_read_its_parent_or_its_sibling(service):
    service.add_key("the-key-of-a-sub-account", subid="shop")
    service.add_key("the-key-of-its-sibling", subid="club")
    send(service, "420777123456")
    send(service, "420777123456", key="the-key-of-its-sibling")
    child = service.client("the-key-of-a-sub-account")

    seen = [
        child.get("/v1/messages", params={"date": today(service), "subid": subid}).json()["messages"]
        for subid in ("default", "club", "shop")
    ]

    assert seen == [[], [], []]


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
            "phone_number must not be empty or contain the NUL character.",
        ),
    ],
)
def test_a_missing_or_malformed_parameter_is_named(service_on_sqlite, path, sentence):
    answer = service_on_sqlite.api.get(path)

    assert answer.status_code == 400
    assert answer.json() == {"message": sentence}


@pytest.mark.parametrize("after", [None, Place("01890a5d-ac96-774b-bcce-b302099a8057", 9)])
def test_a_page_walks_two_indexes_and_sorts_within_one_message_object_only(service_on_sqlite, after):
    question = message_lists.question(Wanted(1, "2026-03-01"), after).limit(100)

    plan = explain(service_on_sqlite, question)

    assert "SEARCH contents USING INDEX ix_contents_key_id_date_id" in plan
    assert "SEARCH messages USING INDEX ix_messages_content_id_position" in plan
    assert "TEMP B-TREE FOR ORDER BY" not in plan


def explain(service, question):
    statement = question.compile(service.store.engine, compile_kwargs={"literal_binds": True})
    with service.store.reading() as connection:
        return "\n".join(row.detail for row in connection.execute(text(f"EXPLAIN QUERY PLAN {statement}")))
