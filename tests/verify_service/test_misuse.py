"""What somebody who means harm, or a careless front end, gets: a refusal, and never more attempts."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.server import BaseHTTPRequestHandler
from typing import Any

import httpx
import pytest
from fake_upstream import FakeUpstream, send_json
from running_verify import NUMBER, SIGNING_KEY, Browser, RunningVerify, run_verify, settings_for
from sqlalchemy import select

from verify_service.database import open_store
from verify_service.tables import sessions
from verify_service.tokens import Kind, Tokens, new_id

SECOND_KEY = "the-second-signing-key-0002"


def side_by_side(count: int, call: Callable[[], httpx.Response]) -> list[httpx.Response]:
    """Make the same call many times at once."""
    together = threading.Barrier(min(count, 25))

    def waits(_: int) -> httpx.Response:
        together.wait(60)
        return call()

    with ThreadPoolExecutor(min(count, 25)) as pool:
        return list(pool.map(waits, range(count)))


def test_of_100_wrong_guesses_at_once_six_are_judged(service_on_each: RunningVerify, upstream: FakeUpstream) -> None:
    browser = service_on_each.browser()
    session = browser.started()
    wrong = upstream.wrong_code_for(NUMBER)

    answers = side_by_side(100, lambda: browser.check(session, wrong))

    assert Counter(answer.json()["code"] for answer in answers) == {"invalid-code": 6, "too-many-attempts": 94}
    assert sum("verify" in call.path for call in upstream.calls) == 6


def test_of_100_right_guesses_at_once_one_succeeds(service_on_each: RunningVerify, upstream: FakeUpstream) -> None:
    browser = service_on_each.browser()
    session = browser.started()
    right = upstream.code_for(NUMBER)

    answers = side_by_side(100, lambda: browser.check(session, right))

    assert Counter(answer.status_code for answer in answers)[200] == 1
    assert all(answer.status_code in {200, 410, 429, 502} for answer in answers)


def test_the_attempts_are_those_of_both_processes_together(upstream: FakeUpstream, each_database: str) -> None:
    settings = settings_for(upstream.url, each_database)
    with run_verify(settings) as one, run_verify(settings) as other:
        browser, elsewhere = one.browser(), other.browser()
        session = browser.started()
        elsewhere.cookies = browser.cookies
        wrong = upstream.wrong_code_for(NUMBER)

        answers = [each.check(session, wrong) for _ in range(5) for each in (browser, elsewhere)]

    assert [answer.json().get("attemptsRemaining") for answer in answers] == [5, 4, 3, 2, 1, 0, None, None, None, None]


def test_a_double_click_with_one_idempotency_key_sends_one_message(
    service_on_each: RunningVerify, upstream: FakeUpstream
) -> None:
    browser = service_on_each.browser()

    answers = side_by_side(10, lambda: browser.start(Idempotency_Key="one-click"))

    assert upstream.sent_messages() == 1
    assert {answer.status_code for answer in answers} <= {201, 409}
    assert len({answer.json()["session"] for answer in answers if answer.status_code == 201}) == 1


def test_one_code_goes_out_however_often_another_is_asked_for_at_once(
    service_on_each: RunningVerify, upstream: FakeUpstream
) -> None:
    browser = service_on_each.browser()
    session = browser.started()
    service_on_each.clock.ahead = 31

    answers = side_by_side(10, lambda: browser.resend(session))

    assert Counter(answer.status_code for answer in answers) == {202: 1, 429: 9}
    assert upstream.sent_messages() == 2


def test_codes_that_are_sent_at_the_same_time_are_all_good(upstream: FakeUpstream, each_database: str) -> None:
    with run_verify(settings_for(upstream.url, each_database, resend_after=0)) as service:
        browser = service.browser()
        session = browser.started()
        upstream.misbehave = all_together(upstream, 2)

        with ThreadPoolExecutor(2) as pool:
            first = pool.submit(browser.resend, session)
            wait_for_calls(upstream, 2)  # the second is to be asked for while the first is on its way
            second = pool.submit(browser.resend, session)
        upstream.misbehave = None
        kept = upstream_tokens(each_database)

    assert (first.result().status_code, second.result().status_code) == (202, 202)
    assert set(kept) == upstream.validations.keys()


def all_together(upstream: FakeUpstream, count: int) -> Callable[[BaseHTTPRequestHandler], None]:
    """Answer as usual, once so many calls are there."""
    together = threading.Barrier(count)

    def answer(handler: BaseHTTPRequestHandler) -> None:
        together.wait(15)
        send_json(handler, *upstream.answer(upstream.calls[-1]))

    return answer


def wait_for_calls(upstream: FakeUpstream, count: int) -> None:
    ends = time.monotonic() + 10
    while len(upstream.calls) < count and time.monotonic() < ends:
        time.sleep(0.005)


def upstream_tokens(database: str) -> Sequence[str]:
    with closing(open_store(database)) as store, store.at_once() as connection:
        return connection.execute(select(sessions.c.upstream_tokens)).scalar_one()


def test_a_session_belongs_to_the_browser_that_started_it(service: RunningVerify, upstream: FakeUpstream) -> None:
    browser, thief = service.browser(), service.browser()
    session = browser.started()
    thief.started("+420777999888")

    check, resend = thief.check(session, upstream.code_for(NUMBER)), thief.resend(session)

    assert (check.status_code, check.json()["code"]) == (404, "not-found")
    assert (resend.status_code, resend.json()["code"]) == (404, "not-found")
    assert browser.check(session, upstream.code_for(NUMBER)).status_code == 200


def test_the_code_of_another_session_is_a_wrong_code(browser: Browser, upstream: FakeUpstream) -> None:
    session = browser.started()
    browser.started("+420777999888")
    other = upstream.code_for("420777999888")
    if other == upstream.code_for(NUMBER):  # one in a million
        pytest.skip("both codes are the same")

    answer = browser.check(session, other)

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid-code")


def test_forged_and_foreign_tokens_are_as_unknown_as_any(browser: Browser, upstream: FakeUpstream) -> None:
    session = browser.started()
    identifier, _, signature = session.partition(".")
    flipped = signature[:-1] + ("A" if signature[-1] != "A" else "B")
    foreign = Tokens(["the-key-of-another-service"]).sign(Kind.SESSION, identifier)
    unknown = Tokens([SIGNING_KEY]).sign(Kind.SESSION, new_id())
    forged = [f"{identifier}.{flipped}", identifier, "", ".", foreign, unknown, session + "=", f"{session}.x", "ž" * 9]

    answers = [browser.check(token, upstream.code_for(NUMBER)) for token in forged]

    assert {(answer.status_code, answer.json()["code"]) for answer in answers} == {(404, "not-found")}
    assert len({answer.text for answer in answers}) == 1
    assert len(upstream.calls) == 1


def test_one_kind_of_token_does_not_pass_for_another(service: RunningVerify, upstream: FakeUpstream) -> None:
    browser, back_end = service.browser(), service.back_end()
    session = browser.started()
    binding = next(iter(browser.cookies.values()))
    verified = browser.check(session, upstream.code_for(NUMBER)).json()["result"]

    redeemed = [back_end.post("/results/redeem", json={"result": token}) for token in (session, binding)]
    checked = [browser.check(token, upstream.code_for(NUMBER)) for token in (verified, binding)]

    assert {answer.status_code for answer in redeemed + checked} == {404}
    assert back_end.post("/results/redeem", json={"result": verified}).status_code == 200


def test_keys_rotate_without_ending_what_is_under_way(upstream: FakeUpstream, database: str) -> None:
    with run_verify(settings_for(upstream.url, database)) as before:
        browser = before.browser()
        session = browser.started()
    rotated = settings_for(upstream.url, database, signing_keys=f"{SECOND_KEY},{SIGNING_KEY}")
    with run_verify(rotated) as after:
        later = after.browser()
        later.cookies = browser.cookies
        result = later.check(session, upstream.code_for(NUMBER)).json()["result"]
    with run_verify(settings_for(upstream.url, database, signing_keys=SECOND_KEY)) as afterwards:
        redeemed = afterwards.back_end().post("/results/redeem", json={"result": result})
        latest = afterwards.browser()
        latest.cookies = browser.cookies
        old_session = latest.check(session, upstream.code_for(NUMBER))

    assert redeemed.status_code == 200
    assert old_session.status_code == 404


MALFORMED: list[Any] = [
    {"code": "١٢٣٤٥٦"},
    {"code": "12345\n"},
    {"code": "123456\n"},
    {"code": " 123456"},
    {"code": "12345"},
    {"code": "1234567"},
    {"code": 123456},
    {"code": None},
    {"code": ["123456"]},
    {"code": ""},
    {},
]


def test_a_malformed_code_is_no_attempt(browser: Browser, upstream: FakeUpstream) -> None:
    session = browser.started()

    answers = [browser.post("/sessions/check", {"session": session} | body) for body in MALFORMED]

    assert {answer.status_code for answer in answers} == {400}
    assert [answer.json()["code"] for answer in answers] == ["invalid-code-format"] * 10 + ["invalid-request"]
    assert len(upstream.calls) == 1
    assert browser.check(session, upstream.wrong_code_for(NUMBER)).json()["attemptsRemaining"] == 5


MALFORMED_BODIES = [
    b"",
    b"null",
    b"[]",
    b'["420777123456"]',
    b'"420777123456"',
    b"{",
    b"\xff\xfe",
    b'{"phoneNumber": "420777123456", "phoneNumber": "420777999888"}',
    b'{"phoneNumber": 420777123456}',
    b'{"phoneNumber": null}',
    b'{"phoneNumber": NaN}',
    b'{"phoneNumber": "420777123456", "more": Infinity}',
    '{"phoneNumber": "420777123456"}'.encode("utf-16"),
    b'{"phoneNumber": "\\ud800"}',
    b'{"phoneNumber": "420777123456", "purpose": "a b"}',
    b'{"phoneNumber": "420777123456", "purpose": 5}',
    b'{"phone": "420777123456"}',
    b"[" * 5000,
    b'{"phoneNumber": ' + b"9" * 5000 + b"}",
]


def test_a_malformed_body_is_a_400(browser: Browser, upstream: FakeUpstream) -> None:
    headers = {"Content-Type": "application/json"}

    answers = [browser.http.post("/sessions", content=content, headers=headers) for content in MALFORMED_BODIES]

    assert {answer.status_code for answer in answers} == {400}
    assert {answer.headers["content-type"] for answer in answers} == {"application/problem+json"}
    assert {answer.json()["code"] for answer in answers} == {"invalid-request", "invalid-phone"}
    assert upstream.calls == []


def test_what_is_no_number_is_refused_here(browser: Browser, upstream: FakeUpstream) -> None:
    numbers = ["", "hello", "12", "+42077712345678901", "+420 12", "0", "420777123456; DROP"]

    answers = [browser.start(number) for number in numbers]

    assert {(answer.status_code, answer.json()["code"]) for answer in answers} == {(400, "invalid-phone")}
    assert upstream.calls == []


def test_only_json_is_read(browser: Browser) -> None:
    kinds = ["text/plain", "application/x-www-form-urlencoded", "", "text/json"]
    content = b'{"phoneNumber": "420777123456"}'

    answers = [browser.http.post("/sessions", content=content, headers={"Content-Type": kind}) for kind in kinds]

    assert {(answer.status_code, answer.json()["code"]) for answer in answers} == {(415, "json-only")}


def test_a_large_body_is_refused(browser: Browser) -> None:
    answer = browser.start("1" * 20_000)

    assert (answer.status_code, answer.json()["code"]) == (413, "too-large")


def test_an_idempotency_key_that_is_none_is_refused(browser: Browser) -> None:
    answers = [
        browser.http.post("/sessions", json={"phoneNumber": NUMBER}, headers={"Idempotency-Key": key.encode()})
        for key in ("a b", "ž", "x" * 256)
    ]

    assert {(answer.status_code, answer.json()["code"]) for answer in answers} == {(400, "invalid-request")}
