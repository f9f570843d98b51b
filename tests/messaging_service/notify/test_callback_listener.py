import io
import socket

import httpx
import orjson
import pytest
from notifying import NOON, move
from rich.console import Console

from interface.notifications import IncomingReplyMessage, LowCredit, parse_events
from interface.results import Result
from interface.signatures import SIGNATURE_HEADER, sign_callback
from messaging_service.notify.events import sent_message
from messaging_service.notify.listener import line, listen, receiver

pytestmark = pytest.mark.anyio


def callback():
    return orjson.dumps([sent_message(move(Result.DELIVERED, code=0), NOON)])


async def post(application, body, headers=None):
    transport = httpx.ASGITransport(application)
    async with httpx.AsyncClient(transport=transport, base_url="http://listener.test") as client:
        return await client.post("/any/path", content=body, headers=headers)


@pytest.fixture
def printed():
    return Console(file=io.StringIO(), width=200)


async def test_each_event_is_printed_on_a_line(printed):
    response = await post(receiver("", printed), callback())

    assert response.status_code == 200
    shown = printed.file.getvalue()
    assert shown.count("\n") == 1
    for fact in ("delivered", "message-0", "420777123456", "sms", "[0] Delivered", "2 parts", "1.5 CZK"):
        assert fact in shown


async def test_a_right_signature_is_taken(printed):
    signature = sign_callback(callback(), "secret")

    response = await post(receiver("secret", printed), callback(), {SIGNATURE_HEADER: signature})

    assert response.status_code == 200


@pytest.mark.parametrize("headers", [{}, {SIGNATURE_HEADER: "0" * 64}])
async def test_a_wrong_signature_is_refused(printed, headers):
    response = await post(receiver("secret", printed), callback(), headers)

    assert response.status_code == 401
    assert "signature" in printed.file.getvalue()
    assert "message-0" not in printed.file.getvalue()


@pytest.mark.parametrize("body", [b"", b"{}", b"not json"])
async def test_what_is_not_an_array_of_events_is_refused(printed, body):
    response = await post(receiver("", printed), body)

    assert response.status_code == 400


def test_a_reply_is_printed_with_its_text():
    reply = IncomingReplyMessage(
        gateway="sms",
        timestamp=NOON // 1000,
        sender="420777123456",
        recipient="420700000000",
        body="YES",
        message_id="m",
    )

    assert "420777123456 → 420700000000" in line(reply).plain
    assert "YES" in line(reply).plain


def test_low_credit_is_printed_with_its_amounts():
    low = LowCredit(timestamp=NOON // 1000, subid="shop", credit="12.50", value="50.00", currency="CZK")

    assert "low credit   12.50 CZK  below 50.00 CZK  shop" in line(low).plain


def test_an_event_cannot_steer_the_terminal():
    (event,) = parse_events(callback().replace(b"message-0", b"\\u001b[2J"))

    assert "\x1b" not in line(event).plain


def test_a_port_in_use_is_one_sentence_and_exit_code_1(capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        code = listen("127.0.0.1", taken.getsockname()[1], "")

    assert code == 1
    assert capsys.readouterr().err.count("\n") == 1
