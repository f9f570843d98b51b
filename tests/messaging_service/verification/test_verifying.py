"""From a number to a verified number (specification 4.4, details "Verification API")."""

import pytest
from verifying import (
    ANOTHER_NUMBER,
    NUMBER,
    PAUSE,
    attempts_of,
    code_of,
    outcome,
    row_of,
    set_account,
    start,
    started,
    text_of,
    verify,
    wrong,
)

from interface.verification import ValidationStarted, ValidationVerified
from messaging_service.clock import MINUTE, iso


def test_a_start_answers_a_token_and_when_the_code_expires(service):
    answer = start(service)

    assert answer.status_code == 200
    assert answer.json().keys() == {"token", "status", "expiresAt", "timestamp"}
    read = ValidationStarted.model_validate_json(answer.content)
    row = row_of(service, read.token)
    assert (read.status, len(read.token)) == ("pending", 43)
    assert (read.timestamp, read.expires_at) == (iso(row["created_at"]), iso(row["created_at"] + 10 * MINUTE))


def test_the_right_code_verifies_the_number(service):
    token = started(service)
    code = code_of(service, token)

    answer = verify(service, token, code)

    assert answer.status_code == 200
    assert answer.json().keys() == {"verified", "phoneNumber", "token", "code", "timestamp", "verifiedAt"}
    read = ValidationVerified.model_validate_json(answer.content)
    assert (read.verified, read.phone_number, read.token, read.code) == (True, NUMBER, token, code)
    assert read.timestamp < read.verified_at


def test_a_wrong_code_is_an_attempt(service):
    token = started(service)
    code = code_of(service, token)

    answers = [verify(service, token, wrong(code)).json() for _ in range(2)]

    assert [answer["error"] for answer in answers] == ["INVALID_CODE"] * 2
    assert [answer["attemptsRemaining"] for answer in answers] == [5, 4]
    assert all(answer["message"] for answer in answers)


def test_the_sixth_guess_may_be_right(service):
    token = started(service)
    code = code_of(service, token)
    for _ in range(5):
        verify(service, token, wrong(code))

    assert outcome(verify(service, token, code)) == "VERIFIED"


def test_after_six_wrong_guesses_even_the_right_code_is_refused(service):
    token = started(service)
    code = code_of(service, token)
    guesses = [verify(service, token, wrong(code)) for _ in range(6)]

    answer = verify(service, token, code)

    assert guesses[-1].json()["attemptsRemaining"] == 0
    assert (answer.status_code, outcome(answer)) == (429, "TOO_MANY_ATTEMPTS")
    assert 500 < int(answer.headers["retry-after"]) <= 600
    assert answer.headers["ratelimit-policy"] == '"attempts";q=6;w=600'
    assert answer.headers["ratelimit"] == f'"attempts";r=0;t={answer.headers["retry-after"]}'
    assert attempts_of(service, token) == 6


def test_an_account_sets_how_many_attempts_there_are(service):
    set_account(service, attempts=2)
    token = started(service)
    code = code_of(service, token)

    outcomes = [outcome(verify(service, token, guess)) for guess in (wrong(code), wrong(code), code)]

    assert outcomes == ["INVALID_CODE", "INVALID_CODE", "TOO_MANY_ATTEMPTS"]


def test_a_code_is_used_once(service):
    token = started(service)
    code = code_of(service, token)
    verify(service, token, code)

    answers = [verify(service, token, each) for each in (code, wrong(code))]

    assert [(answer.status_code, outcome(answer)) for answer in answers] == [(400, "ALREADY_VERIFIED")] * 2
    assert attempts_of(service, token) == 1


def test_a_code_lives_ten_minutes(service):
    token = started(service)
    code = code_of(service, token)
    service.clock.move(10 * MINUTE)

    answer = verify(service, token, code)

    assert (answer.status_code, outcome(answer)) == (400, "EXPIRED")
    assert attempts_of(service, token) == 0


def test_a_code_still_works_in_the_last_seconds(service):
    token = started(service)
    code = code_of(service, token)
    service.clock.move(10 * MINUTE - 5000)

    assert outcome(verify(service, token, code)) == "VERIFIED"


def test_a_code_of_another_session_is_wrong(service):
    token, other = started(service), started(service, ANOTHER_NUMBER)
    code_of_other = code_of(service, other)

    assert outcome(verify(service, token, code_of_other)) == "INVALID_CODE"


def test_a_token_of_another_account_is_as_unknown_as_one_that_never_was(service):
    service.open_account("the-key-of-another-account-0002")
    token = started(service)
    code = code_of(service, token)

    answers = [
        verify(service, token, code, key="the-key-of-another-account-0002"),
        verify(service, "x" * 43, code),
        verify(service, "never%00there", code),
    ]

    assert {answer.status_code for answer in answers} == {404}
    assert len({answer.text for answer in answers}) == 1
    assert outcome(answers[0]) == "NOT_FOUND"
    assert attempts_of(service, token) == 0


def test_every_key_of_an_account_may_check_its_codes(service):
    service.add_key("a-key-below-the-first")
    token = started(service)
    code = code_of(service, token)

    assert outcome(verify(service, token, code, key="a-key-below-the-first")) == "VERIFIED"


def test_a_resend_gives_no_attempts_back(service):
    token = started(service)
    code = code_of(service, token)
    for _ in range(6):
        verify(service, token, wrong(code))
    service.clock.move(PAUSE)
    started(service)

    assert outcome(verify(service, token, code)) == "TOO_MANY_ATTEMPTS"


def test_the_first_code_works_after_a_resend(service):
    token = started(service)
    code = code_of(service, token)
    service.clock.move(PAUSE)
    started(service)

    assert outcome(verify(service, token, code)) == "VERIFIED"


def test_the_first_code_is_over_once_the_new_one_was_used(service):
    token = started(service)
    service.clock.move(PAUSE)
    new = started(service)
    verify(service, new, code_of(service, new))

    answer = verify(service, token, code_of(service, token))

    assert (answer.status_code, outcome(answer)) == (400, "EXPIRED")


def test_another_numbers_code_lives_on(service):
    token, other = started(service), started(service, ANOTHER_NUMBER)
    verify(service, other, code_of(service, other))

    assert outcome(verify(service, token, code_of(service, token))) == "VERIFIED"


def test_a_code_may_begin_with_zeros(service, monkeypatch):
    monkeypatch.setattr("messaging_service.verification.codes.secrets.randbelow", lambda _: 123)
    token = started(service)
    text = text_of(service, token)

    answers = [verify(service, token, "123"), verify(service, token, "000123")]

    assert text.startswith("Your verification code is 000123.")
    assert [outcome(answer) for answer in answers] == ["INVALID_CODE_FORMAT", "VERIFIED"]


@pytest.mark.parametrize("key", [None, "an-unknown-key"])
def test_a_missing_key_and_an_unknown_one_are_told_apart(service_on_sqlite, key):
    answer = service_on_sqlite.client(key).post("/v1/validations", json={"phoneNumber": NUMBER})

    assert answer.status_code == 401
    assert answer.json()["error"] == ("INVALID_API_KEY" if key else "MISSING_API_KEY")
