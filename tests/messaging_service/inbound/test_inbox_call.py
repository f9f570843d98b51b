"""``GET /v1/inbox`` (specification 2.8, 4.3)."""

from datetime import date

import httpx
import pytest
from running_service import RunningService

from interface.client import Addresses, MessagingClient
from messaging_service.clock import DAY, iso, utc_date
from messaging_service.store import inbox as store
from messaging_service.store.tables import inbox as table

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


def receive(service: RunningService, *bodies: str, key_id: int = 1) -> None:
    """Have texts arrive at one moment."""
    shared = {"key_id": key_id, "ts_received": service.clock.now(), "sender": AGREES, "recipient": "Dovecote"}
    rows = [shared | {"inbound_id": f"{key_id}:{body}", "body": body, "gateway": "sms"} for body in bodies]
    with service.store.writing() as connection:
        connection.execute(table.insert(), rows)


def test_a_long_inbox_comes_whole(service: RunningService):
    bodies = [str(number) for number in range(1, 4_001)]
    receive(service, *bodies)

    assert [message["body"] for message in inbox(service)] == bodies


def test_a_long_inbox_is_sent_as_it_is_read(own_service: RunningService):
    receive(own_service, *map(str, range(4_000)))

    answer = own_service.api.get("/v1/inbox", params={"date": utc_date(own_service.clock.now())})

    assert "content-length" not in answer.headers


def test_an_inbox_that_can_not_be_finished_never_looks_whole(own_service: RunningService, monkeypatch):
    receive(own_service, *map(str, range(4_000)))
    parts = [store.page]

    def page(*question):
        return parts.pop()(*question)

    monkeypatch.setattr(store, "page", page)

    with pytest.raises(httpx.RemoteProtocolError):
        inbox(own_service)


def test_the_client_reads_the_inbox_of_a_sub_account(own_service: RunningService):
    receive(own_service, "To the shop", key_id=own_service.add_key("the-key-of-a-sub-account", subid="shop"))
    today = date.fromisoformat(utc_date(own_service.clock.now()))

    with MessagingClient(own_service.key, Addresses.of(own_service.url)) as client:
        own, of_shop = client.inbox(today), client.inbox(today, subid="shop")

    assert (own, [message.body for message in of_shop]) == ([], ["To the shop"])


def test_a_parent_reads_the_inbox_of_its_sub_account_and_nobody_else_does(service: RunningService):
    receive(service, "To the shop", key_id=service.add_key("the-key-of-a-sub-account", subid="shop"))
    service.open_account("the-key-of-another-account")
    stranger = service.client("the-key-of-another-account")

    read = [inbox(service, subid="shop"), inbox(service), inbox(service, stranger, subid="shop")]

    assert [[message["body"] for message in each] for each in read] == [["To the shop"], [], []]


@pytest.mark.parametrize("subid", ["", "default"])
def test_without_a_sub_account_an_inbox_is_the_keys(service_on_sqlite: RunningService, subid):
    receive(service_on_sqlite, f"To the key {subid}")

    assert inbox(service_on_sqlite, subid=subid) == inbox(service_on_sqlite) != []


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


@pytest.mark.parametrize("written", ["today", "2026-02-30", "20260301"])
def test_a_date_that_is_none_is_refused(own_service: RunningService, written):
    answer = own_service.api.get("/v1/inbox", params={"date": written})

    assert (answer.status_code, answer.json()) == (400, {"message": "date must be a date written YYYY-MM-DD."})
