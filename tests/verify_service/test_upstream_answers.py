"""What each answer of the upstream is to the front end: `verify_service/translating.py`, seen from outside."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import requests
import requests_mock
from fake_upstream import FakeUpstream, hangs_up_afterwards
from flask.testing import FlaskClient
from running_verify import NUMBER, settings_for
from werkzeug.test import TestResponse

from verify_service import create_app
from verify_service.application import TO_CLOSE
from verify_service.settings import Settings

UPSTREAM = "http://upstream.example.com/verification"
START = f"{UPSTREAM}/v1/validations"
VERIFY = f"{START}/the%2Ftoken/verify"
STARTED = {
    "token": "the/token",
    "status": "pending",
    "expiresAt": "2026-03-02T09:40:00.000Z",
    "timestamp": "2026-03-02T09:30:00.000Z",
    "proof": "f00d" * 16,
}
VERIFIED = {
    "verified": True,
    "phoneNumber": NUMBER,
    "token": "the/token",
    "code": "123456",
    "timestamp": "2026-03-02T09:30:00.000Z",
    "verifiedAt": "2026-03-02T09:31:00.000Z",
    "proof": "f00d" * 16,
}


class Front:
    """The application without a server, and one session in it once it is started."""

    def __init__(self, client: FlaskClient) -> None:
        self.client = client
        self.session = self.secret = ""

    def start(self, **headers: str) -> TestResponse:
        named = {name.replace("_", "-"): value for name, value in headers.items()} | {"Dovecote-Binding": "header"}
        answer = self.client.post("/sessions", json={"phoneNumber": NUMBER}, headers=named)
        if answer.status_code == 201:
            self.session, self.secret = answer.json["session"], answer.json["secret"]
        return answer

    def resend(self) -> TestResponse:
        return self._post("/sessions/resend", session=self.session)

    def check(self, code: str = "123456") -> TestResponse:
        return self._post("/sessions/check", session=self.session, code=code)

    def _post(self, path: str, **body: str) -> TestResponse:
        return self.client.post(path, json=body, headers={"Dovecote-Session-Secret": self.secret})


@contextmanager
def front_of(settings: Settings) -> Iterator[Front]:
    app = create_app(settings)
    yield Front(app.test_client())
    app.extensions[TO_CLOSE].close()


@pytest.fixture
def front(database: str) -> Iterator[Front]:
    with front_of(settings_for(UPSTREAM, database)) as made:
        yield made


@pytest.fixture
def front_of_dovecote(database: str) -> Iterator[Front]:
    """Before an upstream that honours Idempotency-Key."""
    with front_of(settings_for(UPSTREAM, database, upstream_idempotent=True)) as made:
        yield made


@pytest.fixture
def mocked() -> Iterator[requests_mock.Mocker]:
    with requests_mock.Mocker() as mocker:
        mocker.post(START, json=STARTED)
        yield mocker


def problem(error: str, **more: Any) -> dict[str, Any]:
    return {"json": {"error": error, "message": "A sentence of the upstream."} | more}


# status and body of the upstream; status, code, wait and attempts left of the front end
OF_A_START = [
    (400, problem("INVALID_PHONE"), 400, "invalid-phone", None),
    (400, problem("MISSING_FIELD"), 502, "upstream-error", None),
    (400, {"text": "what?"}, 502, "upstream-error", None),
    (401, problem("INVALID_API_KEY"), 503, "unavailable", None),
    (401, {"text": "<html>"}, 503, "unavailable", None),
    (403, problem("NO"), 503, "unavailable", None),
    (409, problem("STILL_RUNNING"), 409, "start-in-progress", 1),
    (418, problem("TEAPOT"), 502, "upstream-error", None),
    (429, problem("PHONE_RATE_LIMIT") | {"headers": {"Retry-After": "77"}}, 429, "too-many-attempts", 77),
    (429, problem("PHONE_RATE_LIMIT"), 429, "too-many-attempts", 60),
    (429, problem("TENANT_RATE_LIMIT") | {"headers": {"Retry-After": "9"}}, 503, "busy", 9),
    (429, problem("TENANT_RATE_LIMIT") | {"headers": {"Retry-After": "Fri, 20 Nov 2026 08:00:00 GMT"}}, 503, "busy", 5),
    (429, problem("PHONE_RATE_LIMIT") | {"headers": {"Retry-After": "9" * 5000}}, 429, "too-many-attempts", 60),
    (500, problem("INTERNAL_ERROR"), 502, "upstream-error", None),
    (503, {"text": ""}, 502, "upstream-error", None),
    (200, {"text": "<html>"}, 502, "upstream-error", None),
    (200, {"json": []}, 502, "upstream-error", None),
    (200, {"json": STARTED | {"token": ""}}, 502, "upstream-error", None),
    (200, {"json": STARTED | {"token": 5}}, 502, "upstream-error", None),
    (200, {"json": STARTED | {"expiresAt": "soon"}}, 502, "upstream-error", None),
    (200, {"json": STARTED | {"expiresAt": "0001-01-01T00:00:00+23:59"}}, 502, "upstream-error", None),
    (200, {"json": STARTED | {"expiresAt": STARTED["timestamp"]}}, 502, "upstream-error", None),
    (200, {"json": STARTED | {"expiresAt": "2027-03-02T09:40:00Z"}}, 502, "upstream-error", None),
    (204, {"text": ""}, 502, "upstream-error", None),
    (307, {"headers": {"Location": "http://elsewhere.example.com/"}}, 502, "upstream-error", None),
]


@pytest.mark.parametrize(("status", "answer", "expected", "code", "wait"), OF_A_START)
def test_an_answer_to_a_start(  # noqa: PLR0913, PLR0917
    front: Front, mocked: requests_mock.Mocker, status: int, answer: Any, expected: int, code: str, wait: int | None
) -> None:
    mocked.post(START, status_code=status, **answer)

    told = front.start()

    assert (told.status_code, told.json["code"]) == (expected, code)
    assert told.json.get("retryAfter") == wait
    assert told.headers.get("Retry-After") == (None if wait is None else str(wait))
    assert mocked.call_count == 1
    assert "A sentence of the upstream" not in told.text


OF_A_CHECK = [
    (400, problem("INVALID_CODE", attemptsRemaining=3), 400, "invalid-code", None, 3),
    (400, problem("INVALID_CODE"), 400, "invalid-code", None, 5),
    (400, problem("EXPIRED"), 410, "session-expired", None, None),
    (400, problem("ALREADY_VERIFIED"), 502, "upstream-error", None, None),
    (400, problem("INVALID_CODE_FORMAT"), 502, "upstream-error", None, None),
    (404, problem("NOT_FOUND"), 410, "session-expired", None, None),
    (404, {"text": "<html>"}, 410, "session-expired", None, None),
    (401, problem("MISSING_API_KEY"), 503, "unavailable", None, None),
    (429, problem("TOO_MANY_ATTEMPTS") | {"headers": {"Retry-After": "400"}}, 429, "too-many-attempts", 400, None),
    (429, problem("TENANT_RATE_LIMIT"), 503, "busy", 5, None),
    (500, problem("INTERNAL_ERROR"), 502, "upstream-error", None, None),
    (200, {"text": "OK"}, 502, "upstream-error", None, None),
    (200, {"text": '{"verified": true'}, 502, "upstream-error", None, None),
    (200, {"json": {"verified": True}}, 502, "upstream-error", None, None),
    (200, {"json": VERIFIED | {"verified": False}}, 502, "upstream-error", None, None),
    (200, {"json": VERIFIED | {"verified": "true"}}, 502, "upstream-error", None, None),
    (200, {"json": VERIFIED | {"verified": 1}}, 502, "upstream-error", None, None),
    (200, {"json": VERIFIED | {"token": "another"}}, 502, "upstream-error", None, None),
    (200, {"json": VERIFIED | {"phoneNumber": "420777999888"}}, 502, "upstream-error", None, None),
    (200, {"json": VERIFIED | {"code": "654321"}}, 502, "upstream-error", None, None),
    (200, {"json": VERIFIED | {"verifiedAt": "now"}}, 502, "upstream-error", None, None),
    (201, {"json": VERIFIED}, 502, "upstream-error", None, None),
    (302, {"headers": {"Location": "/elsewhere"}, "json": VERIFIED}, 502, "upstream-error", None, None),
]


@pytest.mark.parametrize(("status", "answer", "expected", "code", "wait", "left"), OF_A_CHECK)
def test_an_answer_to_a_check(  # noqa: PLR0913, PLR0917
    front: Front,
    mocked: requests_mock.Mocker,
    status: int,
    answer: Any,
    expected: int,
    code: str,
    wait: int | None,
    left: int | None,
) -> None:
    front.start()
    checked = mocked.post(VERIFY, status_code=status, **answer)

    told = front.check()

    assert (told.status_code, told.json["code"]) == (expected, code)
    assert (told.json.get("retryAfter"), told.json.get("attemptsRemaining")) == (wait, left)
    assert checked.call_count == 1


def test_a_right_answer_is_right(front: Front, mocked: requests_mock.Mocker) -> None:
    front.start()
    mocked.post(VERIFY, json=VERIFIED)

    assert front.check().json.keys() == {"verified", "result"}


@pytest.mark.parametrize("failure", [requests.ReadTimeout, requests.exceptions.ChunkedEncodingError])
def test_a_check_whose_answer_is_lost_is_neither_right_nor_wrong(
    front: Front, mocked: requests_mock.Mocker, failure: type[Exception]
) -> None:
    front.start()
    checked = mocked.post(VERIFY, exc=failure)

    told = front.check()

    assert (told.status_code, told.json["code"]) == (504, "outcome-unknown")
    assert checked.call_count == 1


def test_a_start_is_not_repeated_where_that_could_send_twice(front: Front, mocked: requests_mock.Mocker) -> None:
    started = mocked.post(START, [{"status_code": 500}, {"json": STARTED}])

    assert front.start(Idempotency_Key="click-1").status_code == 502
    assert started.call_count == 1


@pytest.mark.parametrize("first", [{"status_code": 500}, {"exc": requests.ReadTimeout}])
def test_a_start_is_repeated_once_where_the_upstream_knows_it_again(
    front_of_dovecote: Front, mocked: requests_mock.Mocker, first: Any
) -> None:
    started = mocked.post(START, [first, {"json": STARTED}])

    assert front_of_dovecote.start(Idempotency_Key="click-1").status_code == 201
    assert [request.headers["Idempotency-Key"] for request in started.request_history] == ["click-1", "click-1"]


def test_a_start_has_a_key_of_its_own_only_where_that_is_of_use(
    front: Front, front_of_dovecote: Front, mocked: requests_mock.Mocker
) -> None:
    started = mocked.post(START, json=STARTED)

    for each in (front, front_of_dovecote, front_of_dovecote):
        each.start()

    without, first, second = (request.headers.get("Idempotency-Key") for request in started.request_history)
    assert without is None
    assert first
    assert second
    assert first != second


def test_a_start_is_repeated_once_only(front_of_dovecote: Front, mocked: requests_mock.Mocker) -> None:
    started = mocked.post(START, status_code=500)

    assert front_of_dovecote.start().status_code == 502
    assert started.call_count == 2


def test_a_check_is_never_repeated(front_of_dovecote: Front, mocked: requests_mock.Mocker) -> None:
    front_of_dovecote.start()
    checked = mocked.post(VERIFY, [{"status_code": 500}, {"json": VERIFIED}])

    assert front_of_dovecote.check().status_code == 502
    assert checked.call_count == 1


def test_guesses_that_nobody_judged_cost_nothing(front: Front, mocked: requests_mock.Mocker) -> None:
    front.start()
    mocked.post(VERIFY, status_code=401)
    for _ in range(7):
        front.check()

    mocked.post(VERIFY, json=VERIFIED)

    assert front.check().status_code == 200


def test_guesses_with_an_unknown_outcome_are_counted(front: Front, mocked: requests_mock.Mocker) -> None:
    front.start()
    mocked.post(VERIFY, exc=requests.ReadTimeout)
    for _ in range(6):
        front.check()

    assert front.check().json["code"] == "too-many-attempts"


def test_a_guess_that_one_code_was_judged_by_is_counted(database: str, mocked: requests_mock.Mocker) -> None:
    mocked.post(START, [{"json": STARTED}, {"json": STARTED | {"token": "newer"}}])
    mocked.post(f"{START}/newer/verify", status_code=400, json={"error": "INVALID_CODE", "message": "no"})
    mocked.post(VERIFY, exc=requests.ConnectTimeout)
    with front_of(settings_for(UPSTREAM, database, resend_after=0)) as front:
        front.start()
        front.resend()

        answers = [front.check().json["code"] for _ in range(7)]

    assert answers == ["upstream-error"] * 6 + ["too-many-attempts"]


def test_the_key_that_the_upstream_refuses_is_an_alert(front: Front, mocked: requests_mock.Mocker) -> None:
    mocked.post(START, status_code=401)

    front.start()

    metrics = front.client.get("/metrics").text
    (line,) = [line for line in metrics.splitlines() if line.startswith("dovecote_verify_upstream_refuses_our_key_to")]
    assert float(line.split()[1]) >= 1


@pytest.mark.parametrize(
    ("behaviour", "of_a_start", "of_a_check"),
    [
        ("slowly", "outcome-unknown", "outcome-unknown"),
        ("drop_by_drop", "outcome-unknown", "outcome-unknown"),
        ("garbage", "outcome-unknown", "outcome-unknown"),
        ("html", "upstream-error", "upstream-error"),
        ("closes_early", "outcome-unknown", "outcome-unknown"),
        ("closes_in_the_body", "outcome-unknown", "outcome-unknown"),
        ("redirects", "upstream-error", "upstream-error"),
        ("huge", "upstream-error", "upstream-error"),
    ],
)
def test_a_real_process_that_misbehaves(
    upstream: FakeUpstream, database: str, behaviour: str, of_a_start: str, of_a_check: str
) -> None:
    with front_of(settings_for(upstream.url, database)) as before:
        before.start()
    patience = 0.5 if behaviour in {"slowly", "drop_by_drop"} else 10.0
    with (
        misbehaving(behaviour) as address,
        front_of(settings_for(address, database, upstream_timeout=patience)) as front,
    ):
        front.session, front.secret = before.session, before.secret
        begun = time.monotonic()

        started, checked = front.start(), front.check()

    assert (started.json["code"], checked.json["code"]) == (of_a_start, of_a_check)
    assert time.monotonic() - begun < 15  # the slow ones take 30 seconds for each


def test_an_upstream_that_is_not_there_is_asked_twice_and_costs_no_guess(upstream: FakeUpstream, database: str) -> None:
    with front_of(settings_for(upstream.url, database)) as before:
        before.start()
    with front_of(settings_for("http://127.0.0.1:9", database)) as front:
        front.session, front.secret = before.session, before.secret
        answers = [front.check() for _ in range(7)]
        failed = front.start()
    with front_of(settings_for(upstream.url, database)) as after:
        after.session, after.secret = before.session, before.secret
        right = after.check(upstream.code_for(NUMBER))

    assert {answer.json["code"] for answer in [*answers, failed]} == {"upstream-error"}
    assert right.status_code == 200


def test_a_refused_connection_is_tried_once_more(front: Front, monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []

    def refuse(*_: object, **__: object) -> None:
        tried.append(1)
        raise ConnectionRefusedError

    monkeypatch.setattr("urllib3.util.connection.create_connection", refuse)

    told = front.start()

    assert (told.status_code, told.json["code"]) == (502, "upstream-error")
    assert len(tried) == 2


def test_a_connection_that_idled_is_not_used_again(
    upstream: FakeUpstream, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with front_of(settings_for(upstream.url, database)) as front:
        monkeypatch.setattr("verify_service.upstream.connections.IDLE_SECONDS", 60.0)
        busy = [front.start(), front.start()]
        monkeypatch.setattr("verify_service.upstream.connections.IDLE_SECONDS", 0.0)
        idled = front.start()

    assert [answer.status_code for answer in [*busy, idled]] == [201, 201, 201]
    assert upstream.connections == 2


def test_an_upstream_that_hangs_up_between_calls_is_called_again(upstream: FakeUpstream, database: str) -> None:
    upstream.misbehave = hangs_up_afterwards(upstream)
    with front_of(settings_for(upstream.url, database)) as front:
        starts = [_after_hanging_up(upstream, front.start) for _ in range(3)]
        check = front.check(upstream.code_for(NUMBER))

    assert [*starts, check.status_code] == [201, 201, 201, 200]
    assert upstream.connections == 4


def _after_hanging_up(upstream: FakeUpstream, call: Callable[[], TestResponse]) -> int:
    """Call, and wait until the upstream has closed: what it closes during a call leaves that without an answer."""
    status = call().status_code
    ends = time.monotonic() + 20
    while upstream.closed < upstream.connections:
        assert time.monotonic() < ends
        time.sleep(0.001)
    return status


@contextmanager
def misbehaving(behaviour: str) -> Iterator[str]:
    program = [sys.executable, str(Path(__file__).with_name("fake_upstream.py")), behaviour]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        process.kill()
