"""Lists of messages, page by page (specification 2.5, 4.3)."""

import pytest
from sending import send, send_hundreds, today
from sqlalchemy import text

from interface.responses import MessageRow, MessagesResponse
from messaging_service.clock import DAY, HOUR, iso, utc_date
from messaging_service.endpoints.cursors import read_cursor, write_cursor
from messaging_service.endpoints.status import ROWS_A_PAGE
from messaging_service.refusals import InvalidRequest
from messaging_service.store import message_lists
from messaging_service.store.message_lists import Place, Wanted


def listed(service, **query):
    return service.api.get("/v1/messages", params={"date": today(service), **query}).json()["messages"]


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


def test_a_row_keeps_the_sender_that_was_the_default_when_it_was_sent(service):
    (message_id,) = send(service, "420777123456")
    service.wait_for_status(message_id, delivery_code="201")

    service.api.post("/v1/apikey/update", json={"default_callback_url": "", "note": "", "default_sender": "Later"})

    (row,) = listed(service)
    assert row["sender"] == "Dovecote"


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
