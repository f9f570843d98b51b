"""Bulk upload as a caller sees it: state, progress, results, and nothing of anybody else's (specification 4.2)."""

import gzip
from datetime import UTC, datetime

import pytest
from uploading import address, jsonl, message, new_bulk_id, put, status, upload, wait_for

from messaging_service.clock import DAY, HOUR, iso


def today():
    return datetime.now(UTC).date().isoformat()


def counts(service, request_id):
    return service.api.get("/v1/request", params={"date": today(), "request_id": request_id}).json()["request"]


def test_every_line_is_delivered(service):
    numbers = [f"42060112{number:04}" for number in range(500)]
    bulk_id = upload(service, gzip.compress(jsonl(*map(message, numbers))), "gz")

    found = wait_for(service, bulk_id)
    service.wait_until(lambda: counts(service, found["request_id"])["count_delivered"] == "500")

    assert (found["lines"], found["accepted"], found["rejected"]) == (500, 500, 0)


def test_the_status_tells_of_every_stage(own_service):
    bulk_id = new_bulk_id()
    url = address(own_service, bulk_id, datetime=iso(own_service.clock.now() + HOUR))

    stages = [status(own_service, bulk_id)]
    put(url, jsonl(message(), b"{}", message()))
    stages.append(status(own_service, bulk_id))
    own_service.clock.move(HOUR)
    stages.append(wait_for(own_service, bulk_id))

    assert [stage["state"] for stage in stages] == ["waiting_for_file", "scheduled", "done"]
    assert [stage["percentage"] for stage in stages] == [0.0, 0.0, 100.0]
    assert stages[-1]["errors"] == [{"line": 2, "message": "to is required."}]
    assert (stages[-1]["lines"], stages[-1]["accepted"], stages[-1]["rejected"]) == (3, 2, 1)
    assert stages[0]["ts_received"] is None
    assert stages[-1]["ts_finished"] is not None


def test_a_datetime_in_the_past_or_within_a_minute_means_now(bulk_service):
    for ahead in (-DAY, 30_000):
        bulk_id = upload(bulk_service, jsonl(message()), datetime=iso(bulk_service.clock.now() + ahead))

        assert wait_for(bulk_service, bulk_id)["datetime"] is None


def test_another_key_sees_nothing_of_an_upload(own_service):
    bulk_id = upload(own_service, jsonl(message()))
    own_service.open_account("a-foreign-key")

    answer = own_service.client("a-foreign-key").get("/v1/messaging/bulk", params={"bulk_id": bulk_id})

    assert answer.json() == {"success": True, "bulk": None}


@pytest.mark.parametrize("query", [{}, {"bulk_id": ""}])
def test_a_status_call_names_the_upload(bulk_service, query):
    assert bulk_service.api.get("/v1/messaging/bulk", params=query).status_code == 400
