"""``GET /v1/inbox`` (specification 2.8, 4.3)."""

import pytest
from running_service import RunningService

from messaging_service.clock import DAY, iso, utc_date

AGREES = "420601129005"


def inbox(service: RunningService, client=None, **query) -> list[dict]:
    parameters = {"date": utc_date(service.clock.now())} | query
    answer = (client or service.api).get("/v1/inbox", params=parameters).json()
    assert answer["success"] is True
    return answer["inbox"]


def send(service: RunningService, **message) -> None:
    given = {"to": [{"phone_number": AGREES}], "body": "Shall we?", "payload": {"order": 17}}
    service.api.post("/v2/message", json=given | message)


def test_what_people_wrote_is_in_the_inbox_of_its_date(own_service: RunningService):
    send(own_service)

    (message,) = own_service.wait_until(lambda: inbox(own_service))

    assert message["ts_received"][:10] == utc_date(own_service.clock.now())
    assert message["ts_received"] <= iso(own_service.clock.now())
    assert {name: value for name, value in message.items() if name != "ts_received"} == {
        "body": "YES",
        "from": AGREES,
        "to": "Dovecote",
        "gateway": "sms",
        "payload": {"order": 17},
    }
    assert inbox(own_service, date=utc_date(own_service.clock.now() - DAY)) == []


def test_an_inbox_is_its_keys_own(own_service: RunningService):
    own_service.open_account("the-key-of-another-account")
    own_service.add_key("the-key-of-a-sub-account")
    send(own_service)
    own_service.wait_until(lambda: inbox(own_service))

    others = [own_service.client(key) for key in ("the-key-of-another-account", "the-key-of-a-sub-account")]

    assert [inbox(own_service, client) for client in others] == [[], []]


@pytest.mark.parametrize("query", ["", "?date="])
def test_a_missing_date_is_named(own_service: RunningService, query):
    answer = own_service.api.get(f"/v1/inbox{query}")

    assert (answer.status_code, answer.json()) == (400, {"message": "Missing date or xapikey"})


@pytest.mark.parametrize("date", ["today", "2026-02-30", "20260301"])
def test_a_date_that_is_none_is_refused(own_service: RunningService, date):
    answer = own_service.api.get("/v1/inbox", params={"date": date})

    assert (answer.status_code, answer.json()) == (400, {"message": "date must be a date written YYYY-MM-DD."})
