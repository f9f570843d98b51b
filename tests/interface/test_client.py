"""The client over a real socket: what it sends, what it returns, what it raises and when it tries again."""

import asyncio
import datetime as dt
import inspect
import json
import socket

import pytest
from pydantic import ValidationError
from scripted_server import Reply, ScriptedServer

from interface import errors
from interface.account import ApikeyUpdate
from interface.client import Addresses, AsyncMessagingClient, MessagingClient, RetryPolicy
from interface.message import MessageRequest, Recipient
from interface.simple import SimpleMessage

KEY = "a-secret-key"
ACCEPTED = {"request_id": "r", "accepted": [{"key": "0", "message_id": "m"}], "rejected": [], "new_field": 1}
MESSAGE = MessageRequest(to=[Recipient(phone_number="420777123456")], body="Hello", tag="News, a")
TODAY = dt.date(2026, 3, 1)


class Clock:
    """Collects the pauses that a client makes."""

    def __init__(self) -> None:
        self.pauses: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def client(server: ScriptedServer, clock: Clock):
    with client_of(server.address, clock) as client:
        yield client


def client_of(address: str, clock: Clock, **policy) -> MessagingClient:
    retries = RetryPolicy(jitter=lambda: 1.0, clock=lambda: 0.0, **policy)
    return MessagingClient(KEY, Addresses.of(address), retries=retries, timeout=20, sleep=clock.sleep)


def test_a_message_is_posted_as_the_specification_writes_it(server, client):
    server.will_answer(Reply(200, ACCEPTED))

    response = client.send(MESSAGE, idempotency_key="k1")

    [received] = server.received
    assert (received.method, received.path) == ("POST", "/v2/message")
    assert received.headers["x-api-key"] == KEY
    assert received.headers["idempotency-key"] == "k1"
    assert received.headers["content-type"] == "application/json"
    assert json.loads(received.body) == {"to": [{"phone_number": "420777123456"}], "body": "Hello", "tag": "a,news"}
    assert response.accepted[0].message_id == "m"


def test_every_call_goes_to_its_path(server, client):
    server.will_answer(
        Reply(200, ACCEPTED),
        Reply(200, ACCEPTED),
        Reply(200, {"request_id": "r", "message_id": "m", "accepted": True}),
        Reply(200, {"success": True, "message": None}),
        Reply(200, {"success": True, "request": {"count_sent": "1"}}),
        Reply(200, {"success": True, "requests": [{"date": "2026-03-01", "tags": ["a"], "stats": {}}]}),
        Reply(200, {"success": True, "me": {"scope": "full"}}),
        Reply(200, {"success": True}),
        Reply(200, {"success": True, "accepted": 2, "invalid": []}),
        Reply(200, {"success": True, "accepted": 1, "invalid": ["x"]}),
    )

    client.send_priority(MESSAGE)
    client.send_many([MESSAGE, MESSAGE])
    client.send_simple(SimpleMessage(phone_number="1", message="a b", custom_id="7"))
    status = client.message_status("m-0")
    counters = client.request_statistics(TODAY, "r")
    dates = client.statistics([TODAY, TODAY], tag="b,A")
    me = client.apikey_me()
    client.apikey_update(ApikeyUpdate(default_callback_url="", note="n"))
    client.opt_out(["1", "2"])
    invalid = client.blacklist(["x"], subid="s").invalid

    assert [f"{each.method} {each.path}" for each in server.received] == [
        "POST /v2/message/priority",
        "POST /v2/messages",
        "POST /v2/simple/message",
        "GET /v1/message?id=m-0",
        "GET /v1/request?date=2026-03-01&request_id=r&subid=default",
        "GET /v1/requests?dates=2026-03-01%2C2026-03-01&tag=a%2Cb&subid=default",
        "GET /v1/apikey/me",
        "POST /v1/apikey/update",
        "POST /v1/optout",
        "POST /v1/blacklist",
    ]
    assert server.received[2].body == b"phone_number=1&message=a+b&gateway=high&customID=7"
    assert (status, counters.count_sent, dates[0].date, me.scope, invalid) == (None, "1", TODAY, "full", ["x"])


def test_messages_iterates_over_all_pages(server, client):
    rows = [{"message_id": str(number), "phone_number": "1"} for number in range(3)]
    server.will_answer(
        Reply(200, {"success": True, "messages": rows[:2], "next_cursor": "c/1"}),
        Reply(200, {"success": True, "messages": rows[2:], "next_cursor": None}),
    )

    found = [row.message_id for row in client.messages(TODAY, tag="B", phone_number="1")]

    assert found == ["0", "1", "2"]
    assert server.received[1].path.endswith("tag=b&phone_number=1&subid=default&cursor=c%2F1")


def test_an_inbox_is_asked_for_by_its_date_alone_unless_a_sub_account_is_named(server, client):
    empty = Reply(200, {"success": True, "inbox": []})
    server.will_answer(empty, empty)

    client.inbox(TODAY)
    client.inbox(TODAY, subid="shop")

    date = TODAY.isoformat()
    assert [each.path for each in server.received] == [
        f"/v1/inbox?date={date}",
        f"/v1/inbox?date={date}&subid=shop",
    ]


def test_a_cursor_that_does_not_move_ends_the_iteration(server, client):
    page = {"success": True, "messages": [{"message_id": "0", "phone_number": "1"}], "next_cursor": "c"}
    server.will_answer(Reply(200, page), Reply(200, page))

    assert len(list(client.messages(TODAY))) == 2


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (400, {"Message": "User is not authorized"}, errors.Unauthorized),
        (403, {"Message": "Forbidden"}, errors.Unauthorized),
        (401, {"message": "Unknown key"}, errors.Unauthorized),
        (400, {"message": "body is required."}, errors.Invalid),
        (413, {"message": "Too large"}, errors.Invalid),
        (415, {"message": "Content-Type"}, errors.Invalid),
        (422, {"message": "Other body"}, errors.Invalid),
        (414, {}, errors.Invalid),
        (431, {"message": "The address and the headers are larger than 64 KiB."}, errors.Invalid),
        (403, {"message": "Scope"}, errors.Forbidden),
        (404, {"message": "No"}, errors.NotFound),
        (409, {"message": "Still running"}, errors.Conflict),
        (500, b"<html>", errors.ServerFailed),
        (302, b"", errors.UnexpectedAnswer),
        (418, b"[]", errors.UnexpectedAnswer),
    ],
)
def test_an_error_answer_becomes_its_error(server, client, status, body, error):
    server.will_answer(Reply(status, body))

    with pytest.raises(errors.DovecoteError) as raised:
        client.send(MESSAGE)

    assert type(raised.value) is error
    assert raised.value.status == status


def test_field_errors_are_carried(server, client):
    body = {"message": "no", "errors": [{"field": "flow[0].sms.gateway", "message": "must be one of ..."}, 5]}
    server.will_answer(Reply(400, body))

    with pytest.raises(errors.Invalid) as raised:
        client.send(MESSAGE)

    assert raised.value.errors == (("flow[0].sms.gateway", "must be one of ..."),)


@pytest.mark.parametrize("body", [b"", b"not json", b"[]", b'{"accepted": 5}'])
def test_a_success_that_is_not_of_this_interface_is_unexpected(server, client, body):
    server.will_answer(Reply(200, body))

    with pytest.raises(errors.UnexpectedAnswer):
        client.send(MESSAGE)


def test_the_key_stands_in_no_error_and_no_repr(server, client):
    server.will_answer(Reply(400, {"message": f"bad key {KEY}"}))

    with pytest.raises(errors.Invalid) as raised:
        client.send(MESSAGE)

    assert KEY not in f"{raised.value!r} {raised.value} {raised.value.message} {client!r} {vars(client)!r}"


def test_a_read_is_repeated_after_server_errors_and_lost_answers(server, client, clock):
    server.will_answer(Reply(503, b""), Reply(0), Reply(200, {"success": True, "message": None}))

    client.message_status("m")

    assert clock.pauses == [0.5, 1.0]


def test_a_lost_answer_to_a_send_is_an_unknown_outcome(server, client, clock):
    server.will_answer(Reply(0))

    with pytest.raises(errors.OutcomeUnknown):
        client.send(MESSAGE, idempotency_key="k")

    assert (len(server.received), clock.pauses) == (1, [])


def test_a_send_is_repeated_with_its_key_where_the_server_honours_it(server, clock):
    server.will_answer(Reply(0), Reply(409, {"message": "still running"}), Reply(500, b""), Reply(200, ACCEPTED))

    with client_of(server.address, clock, idempotent_server=True) as client:
        client.send(MESSAGE, idempotency_key="k")

    assert [each.headers["idempotency-key"] for each in server.received] == ["k"] * 4
    assert len({each.body for each in server.received}) == 1


def test_a_send_without_a_key_is_not_repeated_even_there(server, clock):
    server.will_answer(Reply(500, b""))

    with client_of(server.address, clock, idempotent_server=True) as client, pytest.raises(errors.ServerFailed):
        client.send(MESSAGE)

    assert len(server.received) == 1


def test_a_refusal_over_a_limit_is_repeated_after_what_the_server_asks(server, client, clock):
    server.will_answer(
        Reply(429, {"message": "slow"}, {"retry-after": "7"}),
        Reply(429, {"message": "slow"}, {"retry-after": "Thu, 01 Jan 1970 00:00:09 GMT"}),
        Reply(200, ACCEPTED),
    )

    client.send(MESSAGE)

    assert clock.pauses == [7, 9]


def test_a_wait_longer_than_the_policy_allows_is_left_to_the_caller(server, client, clock):
    server.will_answer(Reply(429, {"message": "slow"}, {"retry-after": "3600"}))

    with pytest.raises(errors.TooManyRequests) as raised:
        client.send(MESSAGE)

    assert (raised.value.retry_after, clock.pauses) == (3600, [])


def test_the_wait_that_a_failing_service_asks_for_is_left_to_the_caller_as_well(server, client, clock):
    server.will_answer(Reply(503, {"message": "maintenance"}, {"retry-after": "3600"}))

    with pytest.raises(errors.ServerFailed) as raised:
        client.credit()

    assert (raised.value.retry_after, clock.pauses) == (3600, [])


@pytest.mark.parametrize(
    ("reply", "call", "named"),
    [
        (Reply(404, {"message": "No"}), lambda client: client.credit(), "GET /credit"),
        (Reply(200, b"no JSON"), lambda client: client.send(MESSAGE), "POST /message"),
        (Reply(0), lambda client: client.connector_segments("demo", "me"), "POST /connect/demo/segments"),
        (Reply(404, {}), lambda client: client.verify_code("secret", "123456"), "POST /v1/validations/{token}/verify"),
    ],
)
def test_an_error_names_the_call_that_was_made(server, reply, call, named):
    server.will_answer(reply)
    once = RetryPolicy(attempts=1)

    with (
        MessagingClient("key", Addresses.of(server.address), retries=once) as client,
        pytest.raises(errors.DovecoteError) as raised,
    ):
        call(client)

    assert raised.value.call == named


def test_a_refused_connection_is_tried_again_even_for_a_send(clock):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}"

        with client_of(address, clock) as client, pytest.raises(errors.ConnectionFailed):
            client.send(MESSAGE)

    assert clock.pauses == [0.5, 1.0, 2.0]


@pytest.mark.parametrize("address", ["ftp://127.0.0.1", "http://127.0.0.1:99999", "nothing"])
def test_an_address_that_cannot_be_called_is_a_failed_connection(clock, address):
    with client_of(address, clock) as client, pytest.raises(errors.ConnectionFailed):
        client.send(MESSAGE)


@pytest.mark.parametrize("key", ["", "a b", "a\nb", "ključ"])
def test_a_key_that_no_header_can_carry_is_refused_at_once_and_unspoken(key):
    with pytest.raises(ValueError, match="printable ASCII") as raised:
        MessagingClient(key, Addresses.of("http://127.0.0.1"))

    assert key == "" or key not in str(raised.value)


def test_more_than_ten_messages_are_not_even_sent(client):
    with pytest.raises(ValidationError):
        client.send_many([MESSAGE] * 11)


def test_the_asynchronous_client_does_the_same(server, clock):
    async def sleep(seconds: float) -> None:
        clock.sleep(seconds)

    async def calls() -> list[str]:
        retries = RetryPolicy(jitter=lambda: 1.0)
        async with AsyncMessagingClient(KEY, Addresses.of(server.address), retries=retries, sleep=sleep) as client:
            await client.send(MESSAGE)
            with pytest.raises(errors.OutcomeUnknown):
                await client.send(MESSAGE)
            assert KEY not in repr(client)
            return [row.message_id async for row in client.messages(TODAY)]

    page = {"success": True, "messages": [{"message_id": "0", "phone_number": "1"}]}
    server.will_answer(
        Reply(200, ACCEPTED),
        Reply(0),
        Reply(502, b""),
        Reply(200, {**page, "next_cursor": "c"}),
        Reply(200, {**page, "next_cursor": None}),
    )

    found = asyncio.run(calls())

    assert (found, clock.pauses) == (["0", "0"], [0.5])


def test_both_clients_offer_the_same_methods_with_the_same_parameters():
    def methods(client: type) -> dict[str, list[str]]:
        public = {name: member for name, member in vars(client).items() if name[0] != "_" and callable(member)}
        return {name: list(inspect.signature(member).parameters) for name, member in public.items()}

    assert methods(AsyncMessagingClient) == methods(MessagingClient)


def test_the_base_addresses_of_a_hosted_provider_need_no_common_root(server, clock):
    server.will_answer(Reply(200, ACCEPTED))
    addresses = Addresses(f"{server.address}/api/v2/", server.address, server.address, server.address)

    with MessagingClient(KEY, addresses, sleep=clock.sleep) as client:
        client.send(MESSAGE)

    assert server.received[0].path == "/api/v2/message"
