"""Statistics of dates and of requests (specification 2.6, 2.7, 4.3)."""

from collections import Counter

import pytest
from sqlalchemy import select, text

from interface.responses import DateCounters, RequestCounters
from messaging_service.accounts.money import format_money
from messaging_service.clock import iso, utc_date
from messaging_service.report import counters
from messaging_service.store import request_statistics, statistics
from messaging_service.store.messages import WHOLE, read
from messaging_service.store.tables import messages

FATES = {
    "delivered": "420777123456",
    "undelivered": "420777129001",
    "failed": "420777129002",
    "without receipt": "420777129003",
    "invalid": "12",
    "test number": "420777777777",
}


def today(service):
    return utc_date(service.clock.now())


def send(client, *numbers, **fields):
    """Send one message and return its request id."""
    request = {"to": [{"phone_number": number} for number in numbers], "body": "Hello", "tag": "news"} | fields
    return client.post("/v2/message", json=request).json()["request_id"]


def settle(service):
    """Wait until nothing moves any more."""
    service.api.get("/v1/message", params={"id": "any"})  # whose answer tells of all that was accepted before

    def nothing_is_due():
        with service.store.reading() as connection:
            states = connection.execute(select(messages.c.state, messages.c.phone_number)).all()
        waiting = [state for state, number in states if state == "accepted" and number != FATES["test number"]]
        on_the_way = [state for state, number in states if state == "sending"]
        sent = [state for state, number in states if state == "sent" and number != FATES["without receipt"]]
        return not (waiting or on_the_way or sent)

    service.wait_until(nothing_is_due)


def request_of(client, date, request_id, **query):
    return client.get("/v1/request", params={"date": date, "request_id": request_id, **query}).json()["request"]


def test_a_request_counts_what_became_of_its_messages(service):
    request_id = send(service.api, *FATES.values())
    settle(service)

    record = request_of(service.api, today(service), request_id)

    prices = {name: record.pop(name) for name in ("price_czk", "price_eur")}
    span = [record.pop(name) for name in ("first_ts_sent", "last_ts_sent")]
    assert record == {
        "count_delivered": "1",
        "count_nondelivered": "1",
        "count_sent": "3",
        "count_notsent": "2",
        "count_replied": "0",
        "count_optout": "0",
        "msg_sent": "3",
    }
    assert record.keys() | prices.keys() | {"first_ts_sent", "last_ts_sent"} == RequestCounters.model_fields.keys()
    assert prices == {"price_czk": "2.61", "price_eur": "0.1044"}
    assert span == sorted(span)


def test_a_request_counts_as_the_statistics_of_its_date_do(service):
    request_id = send(service.api, *FATES.values())
    send(service.api, *FATES.values(), tag="other")
    settle(service)

    of_request = request_of(service.api, today(service), request_id)
    answer = service.api.get("/v1/requests", params={"dates": today(service), "tag": "news"}).json()

    (of_date,) = answer["requests"]
    shared = of_request.keys() & of_date["stats"].keys()
    assert {name: str(of_date["stats"][name]) for name in shared} == {name: of_request[name] for name in shared}


def test_the_statistics_of_a_date_are_the_sum_over_its_messages(service):
    send(service.api, *FATES.values())
    settle(service)

    with service.store.reading() as connection:
        rows = read(connection, WHOLE)
    summed = sum((Counter(counters(message)) for message in rows), Counter())
    (line,) = service.api.get("/v1/requests", params={"dates": today(service)}).json()["requests"]

    assert line["stats"].keys() == DateCounters.model_fields.keys()
    assert {
        name: count for name, count in line["stats"].items() if name.startswith(("count", "msg_sent")) and count
    } == summed
    assert line["stats"]["msg_mccmnc"] == {"23003": 3}
    sent = [message.ts_sent for message in rows if message.ts_sent is not None]
    span = (line["stats"]["first_ts_sent"], line["stats"]["last_ts_sent"])
    assert span == (iso(min(sent)), iso(max(sent)))
    assert (line["date"], line["tags"]) == (today(service), ["news"])


def test_the_price_of_a_request_is_the_sum_that_the_wallet_paid(service):
    request_id = send(service.api, *FATES.values(), body="x" * 200)
    settle(service)

    record = request_of(service.api, today(service), request_id)

    with service.store.reading() as connection:
        balance = connection.execute(text("SELECT balance FROM wallets")).scalar_one()
    assert record["price_czk"] == format_money(1000_000_000 - balance)
    assert record["msg_sent"] == "6"


def test_requests_are_by_date_and_tags_and_dates_without_data_are_left_out(service):
    send(service.api, FATES["delivered"], tag="b,a")
    send(service.api, FATES["delivered"], tag="c")
    settle(service)

    answer = service.api.get("/v1/requests", params={"dates": f"2020-01-01,{today(service)},{today(service)}"}).json()

    assert [(line["date"], line["tags"]) for line in answer["requests"]] == [
        (today(service), ["a", "b"]),
        (today(service), ["c"]),
    ]


def test_requests_are_filtered_by_tags_in_any_order(service):
    send(service.api, FATES["delivered"], tag="a,b")
    send(service.api, FATES["delivered"], tag="a")
    settle(service)

    answer = service.api.get("/v1/requests", params={"dates": today(service), "tag": "B, A"}).json()

    assert [line["tags"] for line in answer["requests"]] == [["a", "b"]]


def test_a_request_goes_by_the_alias_id_too(service):
    request_id = send(service.api, FATES["test number"])

    answer = service.api.get("/v1/request", params={"date": today(service), "id": request_id})

    assert answer.json()["request"]["count_sent"] == "0"


def test_a_request_of_another_date_is_not_found(service):
    request_id = send(service.api, FATES["test number"])

    assert request_of(service.api, "2020-01-01", request_id) is None


def test_nobody_reads_the_statistics_of_another_account(service):
    service.open_account("the-key-of-another-account")
    service.add_key("the-key-of-a-sub-account", subid="shop")
    stranger = service.client("the-key-of-another-account")
    request_id = send(service.client("the-key-of-a-sub-account"), FATES["delivered"])
    settle(service)

    for subid in ("default", "shop"):
        assert request_of(stranger, today(service), request_id, subid=subid) is None
        lines = stranger.get("/v1/requests", params={"dates": today(service), "subid": subid})
        assert lines.json() == {"success": True, "requests": []}


def test_a_parent_reads_the_statistics_of_its_sub_account(service):
    service.add_key("the-key-of-a-sub-account", subid="shop")
    request_id = send(service.client("the-key-of-a-sub-account"), FATES["delivered"])
    settle(service)

    assert request_of(service.api, today(service), request_id) is None
    assert request_of(service.api, today(service), request_id, subid="shop")["count_sent"] == "1"
    lines = service.api.get("/v1/requests", params={"dates": today(service), "subid": "shop"}).json()["requests"]
    assert [line["stats"]["count_sent"] for line in lines] == [1]


def test_statistics_of_dates_never_touch_messages(service_on_sqlite):
    wanted = statistics.Wanted(1, ["2026-03-01", "2026-03-02"], "news")

    plans = [
        explain(service_on_sqlite, question) for question in (statistics.lines(wanted), statistics.networks(wanted))
    ]

    for plan in plans:
        assert plan.startswith("SEARCH daily_")
        assert "messages" not in plan


def test_statistics_of_a_request_search_its_rows_only(service_on_sqlite):
    plan = explain(service_on_sqlite, request_statistics.question("x"))

    assert "SEARCH contents USING INDEX ix_contents_request_id" in plan
    assert "SEARCH messages USING INDEX ix_messages_content_id_position" in plan


def explain(service, question):
    statement = question.compile(service.store.engine, compile_kwargs={"literal_binds": True})
    with service.store.reading() as connection:
        return "\n".join(row.detail for row in connection.execute(text(f"EXPLAIN QUERY PLAN {statement}")))


@pytest.mark.parametrize("dates", ["", "2026-03-01,", "2026-3-1", "yesterday", ",".join(["2026-03-01"] * 367)])
def test_malformed_dates_are_refused(service_on_sqlite, dates):
    answer = service_on_sqlite.api.get("/v1/requests", params={"dates": dates})

    assert answer.status_code == 400
    assert "dates" in answer.json()["message"]
