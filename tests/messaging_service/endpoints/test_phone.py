"""The virtual phone over HTTP: what it shows, what it takes, and to whom."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from running_service import RunningService, run_service

NUMBER = "420777123456"
PAGES = ["/phone", "/phone/phone.js", "/phone/phone.css", "/phone/icon.svg", "/phone/events"]


@contextmanager
def told(service: RunningService) -> Iterator[Iterator[list[dict[str, Any]]]]:
    """Listen to the phone: batches of texts as they come."""
    with service.client(None).stream("GET", "/phone/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        yield (json.loads(line.removeprefix("data: ")) for line in stream.iter_lines() if line.startswith("data: "))


def send(service: RunningService, body: str, number: str = NUMBER) -> str:
    answer = service.api.post("/v2/message", json={"to": [{"phone_number": number}], "body": body}).json()
    return str(answer["accepted"][0]["message_id"])


def answer(service: RunningService, **changed: Any) -> httpx.Response:
    given = {"number": NUMBER, "recipient": "Dovecote", "channel": "sms", "text": "Yes"} | changed
    return service.client(None).post("/phone/answers", json=given)


def test_a_listener_gets_what_was_delivered_before_and_then_what_is_new(service: RunningService) -> None:
    first = send(service, "Hello")
    service.wait_for_status(first, delivery_code="201")
    with told(service) as texts:
        before = next(texts)
        second = send(service, "Again")
        after = next(texts)

    assert [(text["id"], text["text"]) for text in before] == [(f"{first}-0", "Hello")]
    assert [(text["id"], text["text"]) for text in after] == [(f"{second}-0", "Again")]
    assert after[0] | {"at": 0} == {
        "id": f"{second}-0",
        "kind": "received",
        "number": NUMBER,
        "sender": "Dovecote",
        "channel": "sms",
        "text": "Again",
        "at": 0,
    }


def test_the_code_of_a_verification_is_on_the_phone(service: RunningService) -> None:
    with told(service) as texts:
        assert next(texts) == []
        token = service.api.post("/v1/validations", json={"phoneNumber": NUMBER}).json()["token"]
        (text,) = next(texts)
    code = text["text"].partition("code is ")[2][:6]

    verified = service.api.post(f"/v1/validations/{token}/verify", json={"code": code})

    assert verified.json()["verified"] is True


def test_what_a_telephone_does_not_get_is_not_shown(service: RunningService) -> None:
    undelivered = send(service, "Lost", "420777009001")
    service.wait_for_status(undelivered, delivery_code="203")
    arrived = send(service, "Arrived")
    service.wait_for_status(arrived, delivery_code="201")
    with told(service) as texts:
        shown = next(texts)

    assert [text["id"] for text in shown] == [f"{arrived}-0"]


def test_an_answer_is_an_inbound_message_and_on_the_screen(service: RunningService) -> None:
    sent = send(service, "May we?")
    service.wait_for_status(sent, delivery_code="201")

    taken = answer(service, text="Yes, please")

    today = service.api.get("/v1/message", params={"id": sent}).json()["message"]["ts_created"][:10]

    def inbox() -> list[dict[str, Any]]:
        return list(service.api.get("/v1/inbox", params={"date": today}).json()["inbox"])

    (received,) = service.wait_until(inbox)
    with told(service) as texts:
        shown = next(texts)
    assert (taken.status_code, taken.json()) == (202, {"success": True})
    assert (received["from"], received["to"], received["body"]) == (NUMBER, "Dovecote", "Yes, please")
    assert [(text["kind"], text["text"]) for text in shown] == [("received", "May we?"), ("written", "Yes, please")]


NO_ANSWERS: list[tuple[str, Any]] = [
    ("number", "+420777123456"),
    ("number", "777"),
    ("number", "420777123456\n"),
    ("recipient", ""),
    ("channel", "pigeon"),
    ("text", ""),
    ("text", "a\x00b"),
    ("text", "x" * 1001),
    ("text", 5),
]


def test_an_answer_that_is_none_is_refused_by_its_field(service: RunningService) -> None:
    refused = [answer(service, **{field: value}) for field, value in NO_ANSWERS]

    assert {each.status_code for each in refused} == {400}
    assert [each.json()["message"].partition(" ")[0] for each in refused] == [field for field, _ in NO_ANSWERS]


FROM_ELSEWHERE = [
    {"Host": "dovecote.example.com"},
    {"Host": "127.0.0.1.example.com"},
    {"Host": "192.0.2.1:8800"},
    {"Host": "[::1"},
    {"Origin": "http://evil.example.com"},
    {"Origin": "null"},
    {"X-Forwarded-For": "192.0.2.1"},
    {"Forwarded": "for=192.0.2.1"},
    {"X-Real-IP": "192.0.2.1"},
]


def test_it_is_there_for_this_machine_only(service: RunningService) -> None:
    client = service.client(None)

    answers = [client.get(path, headers=headers) for path in PAGES for headers in FROM_ELSEWHERE]

    assert {each.status_code for each in answers} == {404}


def test_a_page_elsewhere_can_not_answer(service: RunningService) -> None:
    body = {"number": NUMBER, "recipient": "Dovecote", "text": "STOP"}
    client = service.client(None)

    from_elsewhere = client.post("/phone/answers", json=body, headers={"Origin": "http://evil.example.com"})
    as_a_form = client.post("/phone/answers", content=json.dumps(body), headers={"Content-Type": "text/plain"})

    assert (from_elsewhere.status_code, as_a_form.status_code) == (404, 415)


@pytest.mark.parametrize("settings", [{"host": "0.0.0.0"}, {"virtual_phone": False}])
def test_it_is_not_served_where_others_could_see_it(tmp_path: Any, settings: dict[str, Any]) -> None:
    with run_service(f"sqlite:///{tmp_path}/dovecote.db", tmp_path, **settings) as service:
        answers = [service.client(None).get(path).status_code for path in PAGES]

    assert answers == [404] * len(PAGES)


def test_its_pages_let_nothing_else_in(service: RunningService) -> None:
    policy = service.client(None).get("/phone").headers["content-security-policy"]

    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
