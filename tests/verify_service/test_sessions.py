"""Sessions, from a number to a verified result: what front ends may rely on."""

from datetime import UTC, datetime, timedelta

import pytest
from fake_upstream import FakeUpstream
from running_verify import NUMBER, Browser, RunningVerify, run_verify, settings_for


def test_a_number_is_verified_and_the_back_end_learns_which(
    service_on_each: RunningVerify, upstream: FakeUpstream
) -> None:
    browser = service_on_each.browser()
    session = browser.started()

    answer = browser.check(session, upstream.code_for(NUMBER))

    assert answer.status_code == 200
    assert answer.json().keys() == {"verified", "result"}
    assert answer.json()["verified"] is True
    redeemed = service_on_each.back_end().post("/results/redeem", json={"result": answer.json()["result"]})
    assert redeemed.status_code == 200
    assert redeemed.json() == {
        "phoneNumber": NUMBER,
        "verifiedAt": redeemed.json()["verifiedAt"],
        "purpose": "sign-up",
    }
    assert datetime.now(UTC) - datetime.fromisoformat(redeemed.json()["verifiedAt"]) < timedelta(seconds=30)


def test_a_start_says_all_that_a_front_end_needs_and_no_more(browser: Browser) -> None:
    answer = browser.start()

    assert answer.status_code == 201
    body = answer.json()
    assert body.keys() == {
        "session",
        "expiresAt",
        "expiresIn",
        "resendAfter",
        "resendsLeft",
        "codeLength",
        "maskedNumber",
    }
    assert body["codeLength"] == 6
    assert body["resendAfter"] == 30
    assert body["expiresIn"] in range(590, 601)
    assert body["maskedNumber"] == "+420 ••• ••• ••56"


def test_the_binding_cookie_is_as_strict_as_cookies_get(browser: Browser) -> None:
    cookie = browser.start().headers["set-cookie"]

    assert cookie.startswith("__Host-")
    assert {part.strip() for part in cookie.split(";")} >= {"HttpOnly", "Secure", "SameSite=Lax", "Path=/"}
    assert "domain" not in cookie.lower()


def test_an_app_gets_a_secret_instead_of_a_cookie(service: RunningVerify, upstream: FakeUpstream) -> None:
    app = service.browser(**{"Dovecote-Binding": "header"})
    started = app.start()
    secret = started.json()["secret"]

    without = app.check(started.json()["session"], upstream.code_for(NUMBER))
    with_it = app.check(started.json()["session"], upstream.code_for(NUMBER), Dovecote_Session_Secret=secret)

    assert "set-cookie" not in started.headers
    assert (without.status_code, with_it.status_code) == (404, 200)


@pytest.mark.parametrize(
    "written",
    ["+420 777 123 456", "00420777123456", "777 123 456", "(+420) 777-123-456", "420777123456", "+٤٢٠ 777 123 456"],
)
def test_a_number_may_be_written_in_any_common_way(browser: Browser, upstream: FakeUpstream, written: str) -> None:
    browser.started(written)

    assert upstream.calls[-1].body == {"phoneNumber": NUMBER}


def test_a_number_that_only_the_upstream_can_judge_is_passed_on(browser: Browser, upstream: FakeUpstream) -> None:
    browser.started("+999 1234567")

    assert upstream.calls[-1].body == {"phoneNumber": "9991234567"}


def test_the_upstream_gets_the_key_and_the_code_and_nothing_of_the_browser(
    browser: Browser, upstream: FakeUpstream
) -> None:
    session = browser.started()
    browser.check(session, upstream.code_for(NUMBER))

    start, verify = upstream.calls
    assert start.path == "/v1/validations"
    assert verify.path == f"/v1/validations/{next(iter(upstream.validations))}/verify"
    assert verify.body == {"code": upstream.code_for(NUMBER)}
    assert {call.headers["x-api-key"] for call in upstream.calls} == {upstream.key}
    assert not any("cookie" in call.headers or "x-forwarded-for" in call.headers for call in upstream.calls)


def test_known_and_unknown_numbers_are_answered_alike(browser: Browser, upstream: FakeUpstream) -> None:
    session = browser.started("+420777123456")
    browser.check(session, upstream.code_for(NUMBER))

    known, unknown = browser.start("+420777123456"), browser.start("+420777999888")

    assert known.status_code == unknown.status_code == 201
    assert known.json().keys() == unknown.json().keys()
    differing = {name for name in known.json() if known.json()[name] != unknown.json()[name]}
    assert differing <= {"session", "maskedNumber", "expiresAt", "expiresIn"}


def test_the_same_idempotency_key_is_one_session_and_one_message(
    service_on_each: RunningVerify, upstream: FakeUpstream
) -> None:
    browser = service_on_each.browser()

    first, second = (browser.start(Idempotency_Key="click-1") for _ in range(2))

    assert first.status_code == second.status_code == 201
    assert first.json()["session"] == second.json()["session"]
    assert upstream.sent_messages() == 1
    assert [call.headers["idempotency-key"] for call in upstream.calls] == ["click-1"]
    assert browser.check(second.json()["session"], upstream.code_for(NUMBER)).status_code == 200


def test_an_idempotency_key_starts_nothing_new_for_a_day(service_on_each: RunningVerify) -> None:
    browser, clock = service_on_each.browser(), service_on_each.clock
    session = browser.start(Idempotency_Key="click-1").json()["session"]

    clock.ahead = 8 * 3600.0
    browser.http.get("/healthz")  # whoever is answered now has the store tidied
    same_day = browser.start(Idempotency_Key="click-1")
    clock.ahead = 25 * 3600.0
    browser.http.get("/healthz")
    next_day = browser.start(Idempotency_Key="click-1")

    assert (same_day.status_code, same_day.json()["code"]) == (410, "session-expired")
    assert next_day.status_code == 201
    assert next_day.json()["session"] != session


def test_an_idempotency_key_means_one_number(browser: Browser, upstream: FakeUpstream) -> None:
    browser.start(Idempotency_Key="click-1")

    answer = browser.start("+420777999888", Idempotency_Key="click-1")

    assert (answer.status_code, answer.json()["code"]) == (422, "idempotency-key-reused")
    assert upstream.sent_messages() == 1


def test_a_start_that_failed_leaves_its_idempotency_key_free(browser: Browser, upstream: FakeUpstream) -> None:
    upstream.key = "another key, so that ours is refused"
    failed = browser.start(Idempotency_Key="click-1")
    upstream.key = "the-key-for-the-upstream-0001"

    answer = browser.start(Idempotency_Key="click-1")

    assert (failed.status_code, answer.status_code) == (503, 201)


def test_another_code_may_be_asked_for_after_a_while(service_on_each: RunningVerify, upstream: FakeUpstream) -> None:
    browser = service_on_each.browser()
    session = browser.started()

    early = browser.resend(session)
    service_on_each.clock.ahead = 31
    answer = browser.resend(session)

    assert (early.status_code, early.json()["code"]) == (429, "resend-too-early")
    assert early.json()["retryAfter"] == int(early.headers["Retry-After"])
    assert early.json()["retryAfter"] in range(20, 31)
    assert answer.status_code == 202
    assert answer.json()["session"] == session
    assert answer.json()["resendsLeft"] == 2
    assert browser.check(session, upstream.code_for(NUMBER)).status_code == 200


def test_the_first_code_still_works_when_it_arrives_after_the_second(
    service_on_each: RunningVerify, upstream: FakeUpstream
) -> None:
    browser = service_on_each.browser()
    session = browser.started()
    service_on_each.clock.ahead = 31
    browser.resend(session)

    answer = browser.check(session, upstream.code_for(NUMBER, newest=1))

    assert answer.status_code == 200


def test_another_code_gives_no_new_attempts(service_on_each: RunningVerify, upstream: FakeUpstream) -> None:
    browser = service_on_each.browser()
    session = browser.started()
    for _ in range(4):
        browser.check(session, upstream.wrong_code_for(NUMBER))
    service_on_each.clock.ahead = 31
    assert browser.resend(session).status_code == 202

    fifth, sixth, seventh = (browser.check(session, upstream.wrong_code_for(NUMBER)) for _ in range(3))

    assert [fifth.json()["attemptsRemaining"], sixth.json()["attemptsRemaining"]] == [1, 0]
    assert (seventh.status_code, seventh.json()["code"]) == (429, "too-many-attempts")
    assert browser.check(session, upstream.code_for(NUMBER)).status_code == 429


def test_codes_can_be_asked_for_a_few_times_only(service: RunningVerify, upstream: FakeUpstream) -> None:
    browser = service.browser()
    session = browser.started()
    answers = []
    for _ in range(4):
        service.clock.ahead += 31
        answers.append(browser.resend(session))

    assert [answer.status_code for answer in answers] == [202, 202, 202, 429]
    assert [answer.json().get("resendsLeft") for answer in answers] == [2, 1, 0, None]
    assert upstream.sent_messages() == 4


def test_a_resend_that_failed_can_be_tried_again_at_once(service: RunningVerify, upstream: FakeUpstream) -> None:
    browser = service.browser()
    session = browser.started()
    service.clock.ahead = 31
    key, upstream.key = upstream.key, "another key, so that ours is refused"
    failed = browser.resend(session)
    upstream.key = key

    assert failed.status_code == 503
    assert browser.resend(session).status_code == 202


def test_the_sixth_guess_may_be_right_and_the_seventh_is_not_judged(
    service_on_each: RunningVerify, upstream: FakeUpstream
) -> None:
    browser = service_on_each.browser()
    first, second = browser.started(), browser.started("+420777999888")
    for _ in range(5):
        browser.check(first, upstream.wrong_code_for(NUMBER))
    for _ in range(6):
        browser.check(second, upstream.wrong_code_for("420777999888"))

    sixth = browser.check(first, upstream.code_for(NUMBER))
    seventh = browser.check(second, upstream.code_for("420777999888"))

    assert sixth.status_code == 200
    assert (seventh.status_code, seventh.json()["code"]) == (429, "too-many-attempts")
    assert int(seventh.headers["Retry-After"]) > 0


def test_a_session_ends(service_on_each: RunningVerify, upstream: FakeUpstream) -> None:
    browser = service_on_each.browser()
    session = browser.started()
    service_on_each.clock.ahead = 661

    check, resend = browser.check(session, upstream.code_for(NUMBER)), browser.resend(session)

    assert (check.status_code, check.json()["code"]) == (410, "session-expired")
    assert (resend.status_code, resend.json()["code"]) == (410, "session-expired")


def test_a_code_is_used_once(service_on_each: RunningVerify, upstream: FakeUpstream) -> None:
    browser = service_on_each.browser()
    session = browser.started()
    browser.check(session, upstream.code_for(NUMBER))

    answer = browser.check(session, upstream.code_for(NUMBER))

    assert (answer.status_code, answer.json()["code"]) == (410, "session-expired")


def test_a_code_that_begins_with_zeros_works(browser: Browser, upstream: FakeUpstream) -> None:
    session = browser.started()
    next(iter(upstream.validations.values())).code = "000123"

    assert browser.check(session, "000123").status_code == 200


@pytest.mark.parametrize("ahead", [timedelta(hours=-3), timedelta(hours=3)])
def test_the_upstreams_clock_may_be_wrong(service: RunningVerify, upstream: FakeUpstream, ahead: timedelta) -> None:
    upstream.clock_ahead = ahead
    browser = service.browser()

    answer = browser.start()

    assert answer.json()["expiresIn"] in range(590, 601)
    assert browser.check(answer.json()["session"], upstream.code_for(NUMBER)).status_code == 200


def test_sessions_live_on_when_the_service_starts_again(upstream: FakeUpstream, each_database: str) -> None:
    settings = settings_for(upstream.url, each_database)
    with run_verify(settings) as before:
        browser = before.browser()
        session = browser.started()
        for _ in range(5):
            browser.check(session, upstream.wrong_code_for(NUMBER))

    with run_verify(settings) as after:
        later = after.browser()
        later.cookies = browser.cookies
        sixth = later.check(session, upstream.wrong_code_for(NUMBER))
        seventh = later.check(session, upstream.code_for(NUMBER))

    assert sixth.json()["attemptsRemaining"] == 0
    assert seventh.status_code == 429


def test_two_tabs_of_a_browser_have_a_session_each(browser: Browser, upstream: FakeUpstream) -> None:
    first, second = browser.started(), browser.started("+420777999888")

    assert browser.check(first, upstream.code_for(NUMBER)).status_code == 200
    assert browser.check(second, upstream.code_for("420777999888")).status_code == 200
