"""What is still scheduled can be cancelled, and then nothing of it is sent or charged (details, "bulk")."""

import threading

import pytest
from bench import Bench
from sqlalchemy import select, text, update
from uploading import address, files_of, jsonl, message, new_bulk_id, put, status, upload

from interface.bulk import BulkCancel
from interface.flow_steps import Gateway
from interface.results import Result
from messaging_service.accept.planning import Caller
from messaging_service.cancel import Cancelling
from messaging_service.clock import HOUR, SECOND, iso
from messaging_service.process import phase_two
from messaging_service.refusals import Conflict, NotFound
from messaging_service.store import messages
from messaging_service.store.messages import MovedMeanwhile
from messaging_service.store.tables import messages as table
from messaging_service.xml_interface.planning import plan
from messaging_service.xml_interface.reading import Recipient, XmlRequest

IN_AN_HOUR = "2026-03-02T11:00:00Z"


def cancel(service, **body):
    return service.api.post("/v1/messaging/cancel", json=body)


def cancel_message(bench, message_id, key=None):
    cancelling = Cancelling(bench.store, bench.clock, bench.filer)
    cancelling.cancel((key or bench.key).id, BulkCancel(message_id=message_id))


def test_a_scheduled_upload_is_cancelled_once(service):
    bulk_id = upload(service, jsonl(message()), datetime=iso(service.clock.now() + HOUR))

    first, second = cancel(service, bulk_id=bulk_id), cancel(service, bulk_id=bulk_id)
    service.clock.move(2 * HOUR)

    assert (first.status_code, first.json()) == (200, {"success": True, "message": "Schedule cancelled"})
    assert (second.status_code, second.json()) == (409, {"message": "It is not scheduled any more."})
    assert (status(service, bulk_id)["state"], status(service, bulk_id)["accepted"]) == ("cancelled", 0)


def test_the_file_of_a_cancelled_upload_is_not_taken(own_service):
    bulk_id = new_bulk_id()
    url = address(own_service, bulk_id, datetime=iso(own_service.clock.now() + HOUR))

    cancelled = cancel(own_service, bulk_id=bulk_id)
    answer = put(url, jsonl(message()))

    assert (cancelled.status_code, answer.status_code) == (200, 409)
    assert files_of(own_service) == []


def test_an_upload_without_a_schedule_is_not_cancelled(bulk_service):
    waiting, received = new_bulk_id(), upload(bulk_service, jsonl(message()))
    address(bulk_service, waiting)

    assert [cancel(bulk_service, bulk_id=each).status_code for each in (waiting, received)] == [409, 409]


@pytest.mark.parametrize("body", [{}, {"bulk_id": "a", "message_id": "b"}, {"bulk_id": None}, {"message_id": ""}])
def test_exactly_one_thing_is_cancelled(bulk_service, body):
    answer = cancel(bulk_service, **body)

    assert (answer.status_code, list(answer.json())) == (400, ["message"])


@pytest.mark.parametrize("name", ["bulk_id", "message_id"])
def test_what_the_key_does_not_have_is_not_found(own_service, name):
    own_service.open_account("a-foreign-key")
    foreign = own_service.client("a-foreign-key")
    url = foreign.post(
        "/v1/messaging/url",
        json={"bulk_id": "theirs", "filetype": "jsonl", "datetime": iso(own_service.clock.now() + HOUR)},
    )
    sent = foreign.post("/v2/message", json=message(datetime=iso(own_service.clock.now() + HOUR))).json()
    theirs = {"bulk_id": "theirs", "message_id": sent["accepted"][0]["message_id"]}

    answers = [cancel(own_service, **{name: value}) for value in ("unknown", theirs[name])]

    assert url.status_code == 200
    assert [answer.status_code for answer in answers] == [404, 404]


def test_a_scheduled_message_is_cancelled_and_costs_nothing(own_service):
    sent = own_service.api.post("/v2/message", json=message(datetime=iso(own_service.clock.now() + HOUR))).json()
    message_id = sent["accepted"][0]["message_id"]

    answers = [cancel(own_service, message_id=message_id) for _ in range(2)]
    own_service.clock.move(2 * HOUR)
    record = own_service.wait_for_status(message_id, status_info="cancelled")

    assert [answer.status_code for answer in answers] == [200, 409]
    assert (record["ts_sent"], record["price"]) == (None, 0)


def test_a_message_object_is_cancelled_with_all_its_recipients(service):
    two = {"to": [{"phone_number": "420601123456"}, {"phone_number": "420601123457"}], "body": "x"}
    scheduled = two | {"datetime": iso(service.clock.now() + HOUR)}
    sent = service.api.post("/v2/messages", json=[scheduled, scheduled]).json()
    first, second = (item["message_id"] for item in sent["accepted"])

    answers = [cancel(service, message_id=each) for each in (first, f"{second}-1", second)]

    assert [answer.status_code for answer in answers] == [200, 200, 200]
    for message_id in (f"{first}-0", f"{first}-1", f"{second}-0", f"{second}-1"):
        service.wait_for_status(message_id, status_info="cancelled")


def test_a_request_of_the_xml_interface_is_cancelled_with_all_its_recipients(bench: Bench):
    numbers = [f"420601{number:06d}" for number in range(1_020)]
    request = XmlRequest("Hello", [Recipient(number, number) for number in numbers], "Shop", Gateway.HIGH)
    planned = plan(Caller(bench.key, bench.clock.now()), [request])
    with bench.store.writing() as connection:
        for each in planned.plans:
            messages.add(connection, each.contents, each.addressees)
        connection.execute(update(table).values(due_at=bench.clock.now() + HOUR))  # as a marketing window would

    cancel_message(bench, planned.accepted[0].request_id)

    with bench.store.reading() as connection:
        states = set(connection.execute(select(table.c.state)).scalars())
    assert states == {Result.CANCELLED}


def test_a_message_that_is_due_is_not_scheduled_any_more(bench: Bench):
    (message_id,) = bench.accept("420601123456")

    with pytest.raises(Conflict):
        cancel_message(bench, message_id)


def test_another_key_of_the_account_cannot_cancel(bench: Bench):
    (message_id,) = bench.accept("420601123456", datetime=IN_AN_HOUR)

    with pytest.raises(NotFound):
        cancel_message(bench, message_id, bench.open_account())


def test_a_cancelled_message_is_in_no_statistics_and_told_to_nobody(bench: Bench):
    (message_id,) = bench.accept("420601123456", datetime=IN_AN_HOUR)

    cancel_message(bench, message_id)
    bench.clock.move(2 * HOUR)
    bench.run_for(1)

    assert bench.message(message_id).state is Result.CANCELLED
    assert (bench.taken(), bench.notifications(), bench.statistics(), bench.recount()) == ([], [], {}, {})


def test_of_a_cancellation_and_phase_two_the_second_does_nothing(bench_on_sqlite: Bench, monkeypatch):
    bench = bench_on_sqlite
    (message_id,) = bench.accept("420601123456", datetime=IN_AN_HOUR)
    before = bench.balance()
    gather_facts = phase_two.gather_facts

    def cancelled_meanwhile(*known):
        bench.clock.move(-HOUR - SECOND)
        cancel_message(bench, message_id)
        bench.clock.move(HOUR + SECOND)
        return gather_facts(*known)

    bench.clock.move(HOUR)
    monkeypatch.setattr(phase_two, "gather_facts", cancelled_meanwhile)
    with pytest.raises(MovedMeanwhile):
        bench.decide()

    assert bench.message(message_id).state is Result.CANCELLED
    assert (bench.balance(), bench.taken(), bench.notifications()) == (before, [], [])


def test_on_postgresql_a_cancellation_waits_for_phase_two_and_then_comes_too_late(bench_on_postgresql: Bench):
    bench = bench_on_postgresql
    (message_id,) = bench.accept("420601123456", datetime=IN_AN_HOUR)
    outcomes = []

    def try_to_cancel():
        try:
            cancel_message(bench, message_id)
        except Conflict:
            outcomes.append("too late")

    with bench.store.writing() as connection:
        connection.execute(text("UPDATE messages SET state = 'sending', due_at = NULL"))
        thread = threading.Thread(target=try_to_cancel)
        thread.start()
        thread.join(0.2)
    thread.join()

    assert outcomes == ["too late"]
