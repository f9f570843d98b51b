"""The connector to Klaviyo, against a fake of its API over real HTTP."""

import logging

import httpx
import pytest
from platforms import SECRET, ask, connect, platform
from running_service import run_service
from serving_in_threads import serving
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse

from messaging_service.connectors.fakes.klaviyo import problem
from messaging_service.connectors.kit import asking
from messaging_service.endpoints import connectors
from messaging_service.store.tables import connector_credentials
from messaging_service.verification.codes import CodeKeeper

REFUSED = "klaviyo refuses the credentials of this app_userid."
FAILED = "klaviyo doesn't answer as it should; repeat this later."


def failing(times=4):
    return [PlainTextResponse("broken", 503) for _ in range(times)]


def test_all_pages_of_segments_and_profiles_are_read(connected, klaviyo):
    segments = ask(connected.api, "segments").json()["segments"]
    recipients = ask(connected.api, "recipients", segment_id="SPRING").json()["recipients"]

    assert [segment["id"] for segment in segments] == list(klaviyo.segments)
    assert recipients == [f"4206012{number:05d}" for number in range(230)]
    assert [path.count("/profiles") for path in klaviyo.received] == [0, 0, 0, 1, 1, 1]


def test_an_empty_segment_has_no_recipients(on_sqlite):
    answer = ask(on_sqlite.api, "recipients", segment_id="EMPTY")

    assert answer.json() == {"success": True, "recipients": []}


def test_who_unsubscribed_or_has_no_valid_number_is_left_out(on_sqlite):
    answer = ask(on_sqlite.api, "recipients", segment_id="MIXED")

    assert answer.json()["recipients"] == ["420777123456", "421903123456"]


def test_the_account_and_its_sender_are_told(on_sqlite):
    me = ask(on_sqlite.api, "me").json()
    senders = ask(on_sqlite.api, "senders").json()

    assert me == {"success": True, "account": {"id": "AbC123", "name": "Dovecote Shop"}, "currency": "EUR"}
    assert senders == {"success": True, "senders": [{"type": "email", "name": "Shop"}]}


@pytest.mark.parametrize("action", ["segments", "recipients", "senders", "me"])
def test_credentials_that_the_platform_refuses_are_no_success(on_sqlite, action):
    connect(on_sqlite, app_userid="left", secret="pk_of_somebody_who_left")

    answer = ask(on_sqlite.api, action, app_userid="left", segment_id="SPRING")

    assert (answer.status_code, answer.json()) == (200, {"success": False, "message": REFUSED})


def test_credentials_belong_to_one_account(connected):
    connected.open_account("the-key-of-another-account-0002")

    answer = ask(connected.client("the-key-of-another-account-0002"), "segments")

    message = "This account has no credentials for this app_userid of klaviyo."
    assert (answer.status_code, answer.json()) == (200, {"success": False, "message": message})


def test_credentials_are_sealed_in_the_store(connected):
    with connected.store.reading() as connection:
        stored = [tuple(row) for row in connection.execute(connector_credentials.select())]

    assert len(stored) == 1
    assert SECRET not in repr(stored)


def test_credentials_sealed_with_another_key_are_to_be_given_again(on_sqlite):
    connect(on_sqlite, app_userid="older", codes=CodeKeeper(b"the key that this service had before"))

    answer = ask(on_sqlite.api, "segments", app_userid="older")

    message = "This service has another verification key since; connect this app_userid of klaviyo again."
    assert (answer.status_code, answer.json()) == (200, {"success": False, "message": message})


def test_a_platform_that_asks_for_a_moment_gets_it(on_sqlite, shared_platform):
    busy = problem(429, "throttled", "Request was throttled.", {"Retry-After": "0"})
    shared_platform.will_answer.extend([busy, None, busy, busy])

    answer = ask(on_sqlite.api, "recipients", segment_id="SPRING")

    assert len(answer.json()["recipients"]) == 230


def test_a_platform_that_asks_for_more_patience_is_told_to_the_caller(on_sqlite, shared_platform):
    shared_platform.will_answer.append(problem(429, "throttled", "Request was throttled.", {"Retry-After": "3600"}))

    answer = ask(on_sqlite.api, "segments")

    message = "klaviyo takes no more calls just now; repeat this in 3600 s."
    assert (answer.status_code, answer.json()) == (429, {"message": message})
    assert answer.headers["retry-after"] == "3600"


def test_what_fails_in_passing_is_repeated(on_sqlite, shared_platform):
    shared_platform.will_answer.extend([*failing(1), None, None, PlainTextResponse("not JSON")])

    answer = ask(on_sqlite.api, "recipients", segment_id="SPRING")

    assert len(answer.json()["recipients"]) == 230


@pytest.mark.parametrize(
    "answers",
    [
        failing(),
        [RedirectResponse("http://169.254.169.254/latest/meta-data/")],
        [problem(400, "invalid", "The revision is not supported.")],
        [JSONResponse({"data": [], "links": {"next": "http://169.254.169.254/latest"}})],
        [JSONResponse({"data": {"id": "not a list"}})],
        [JSONResponse({"data": [{"id": 1}]})],
        [JSONResponse({"data": "x" * 9_000_000})] * 4,
        [PlainTextResponse("")] * 4,
    ],
    ids=["down", "redirects", "refuses", "leads-elsewhere", "no-list", "no-ids", "too-large", "empty"],
)
def test_a_platform_that_does_not_answer_as_it_should_is_a_failure_of_its_own(on_sqlite, shared_platform, answers):
    shared_platform.will_answer.extend(answers)

    answer = ask(on_sqlite.api, "segments")

    shared_platform.will_answer.clear()
    assert (answer.status_code, answer.json()) == (502, {"message": FAILED})


def test_a_platform_that_is_not_there_is_a_failure_of_its_own(tmp_path):
    with run_service(f"sqlite:///{tmp_path}/dovecote.db", tmp_path, klaviyo_url="http://127.0.0.1:9") as service:
        connect(service)

        answer = ask(service.api, "me")

    assert (answer.status_code, answer.json()) == (502, {"message": FAILED})


def test_an_answer_that_can_not_be_finished_is_cut_off_and_never_looks_whole(on_sqlite, shared_platform):
    refused = problem(401, "authentication_failed", "Incorrect authentication credentials.")
    shared_platform.will_answer.extend([None, None, None, refused])

    with pytest.raises(httpx.RemoteProtocolError):
        ask(on_sqlite.api, "recipients", segment_id="SPRING")


def test_an_answer_gives_signs_of_life_while_the_platform_asks_for_patience(on_sqlite, shared_platform, monkeypatch):
    monkeypatch.setattr(connectors, "_SIGN_OF_LIFE_SECONDS", 0.01)
    busy = problem(429, "throttled", "Request was throttled.", {"Retry-After": "1"})
    shared_platform.will_answer.extend([None, None, busy])

    answer = ask(on_sqlite.api, "recipients", segment_id="SPRING")

    assert answer.content.count(b" ") > 10
    assert len(answer.json()["recipients"]) == 230


def test_callers_who_leave_early_hold_no_place(on_sqlite):
    body = {"app_userid": "shop", "segment_id": "SPRING"}
    for _ in range(6):
        with on_sqlite.api.stream("POST", "/v1/connect/klaviyo/recipients", json=body) as answer:
            assert answer.status_code == 200

    answer = on_sqlite.wait_until(lambda: ask(on_sqlite.api, "recipients", segment_id="SPRING"))

    assert len(answer.json()["recipients"]) == 230


def test_one_account_can_not_take_all_places(on_sqlite, monkeypatch):
    monkeypatch.setattr(asking, "_AT_ONCE_OF_ACCOUNT", 0)

    answer = ask(on_sqlite.api, "segments")

    assert (answer.status_code, answer.headers["retry-after"]) == (429, "5")


def test_a_segment_over_the_limit_is_refused_before_it_is_read(tmp_path):
    fake = platform()
    with (
        serving(fake.application()) as address,
        run_service(f"sqlite:///{tmp_path}/dovecote.db", tmp_path, klaviyo_url=address, connector_limit=229) as service,
    ):
        connect(service)

        answer = ask(service.api, "recipients", segment_id="SPRING")

    message = "The segment has more than 229 recipients; split it."
    assert (answer.status_code, answer.json()) == (400, {"message": message})
    assert len(fake.received) == 1


def test_nothing_of_a_secret_or_a_number_is_in_the_log(on_sqlite, shared_platform, caplog, capsys):
    caplog.set_level(logging.DEBUG)
    shared_platform.will_answer.extend(failing())

    ask(on_sqlite.api, "segments")
    ask(on_sqlite.api, "recipients", segment_id="SPRING")

    logged = caplog.text + capsys.readouterr().out
    assert "connector.request-failed" in logged
    assert SECRET not in logged
    assert "4206012" not in logged
