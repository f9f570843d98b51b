"""A failed call tells its name, its status and what to do."""

import asyncio
from collections import deque
from dataclasses import replace

import pytest
from builders import SOCKETS_OF_PREFECT, a_plan
from httpx import ASGITransport
from prefect import flow
from provider import Provider as FakeProvider

from flows.advice import calling
from flows.ledger import Way, open_ledger, outstanding, plan, take_lease
from flows.provider import Provider
from flows.sending.outbox import Outbox
from flows.tasks.sending import send_some
from interface.client import Addresses, AsyncMessagingClient
from interface.errors import ConnectionFailed, DovecoteError, Refused, ServerFailed, TooManyRequests, Unauthorized


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (
            ServerFailed("Failed to read messages", 500),
            "GET /inbox failed with status 500: Failed to read messages.",
        ),
        (Unauthorized("No.", 401), "GET /inbox failed with status 401: No. Check the key in the block"),
        (TooManyRequests("Slower", 429), "GET /inbox failed with status 429: Slower. The provider's rate limit"),
        (ConnectionFailed("No connection."), "GET /inbox failed: No connection. Is the service running"),
        (Refused("No such name.", 200), "GET /inbox failed with status 200: No such name. Put right what it names"),
        (DovecoteError("Odd."), "GET /inbox failed: Odd. Run the flow again later."),
    ],
)
def test_an_error_tells_the_call_the_status_and_what_to_do(error, sentence):
    with pytest.raises(type(error)) as told, calling("GET /inbox"):
        raise error

    assert str(told.value).startswith(sentence)


@pytest.mark.parametrize(
    ("call", "sentence"), [("POST /messages", "POST /messages failed: Odd."), ("", "A call failed: Odd.")]
)
def test_the_call_is_the_one_that_the_error_names_where_nothing_more_is_said_of_it(call, sentence):
    error = DovecoteError("Odd.")
    error.call = call

    with pytest.raises(DovecoteError) as told, calling():
        raise error

    assert str(told.value).startswith(sentence)


def test_other_errors_stay_as_they_are():
    with pytest.raises(ValueError, match=r"^as it was$"), calling("GET /inbox"):
        raise ValueError("as it was")


@SOCKETS_OF_PREFECT
@pytest.mark.usefixtures("prefect")
@pytest.mark.parametrize(
    ("way", "faults", "sentence"),
    [
        (Way.CALLS, {"faults": deque(["invalid"])}, "POST /messages failed with status 400: sender is not allowed."),
        (
            Way.BULK,
            {"faults": deque(["invalid"])},
            "POST /messaging/url failed with status 400: sender is not allowed.",
        ),
        (
            Way.BULK,
            {"upload_faults": deque(["fail after accepting"])},
            "PUT to the address of the upload failed with status 503: ",
        ),
    ],
)
def test_a_task_that_sends_names_the_call_that_failed(tmp_path, way, faults, sentence):
    fake, book = FakeProvider(**faults), open_ledger(f"sqlite:///{tmp_path / 'ledger.sqlite3'}")
    wanted = a_plan(2)
    planned = plan(book, replace(wanted, batches=[replace(one, way=way) for one in wanted.batches]))

    @flow(persist_result=False)
    async def send():
        transport = ASGITransport(fake.app)
        async with AsyncMessagingClient("key", Addresses.of("http://fake"), transport=transport) as client:
            outbox = Outbox(take_lease(book, planned.id, "me"), planned.settings, Provider(client))
            await send_some.with_options(retries=0)(outbox, outstanding(book, planned.id))

    with pytest.raises(DovecoteError) as told:
        asyncio.run(send())

    book.close()
    assert str(told.value).startswith(sentence)
