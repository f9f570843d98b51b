"""What a process that ends, however it does, leaves to the next one."""

import httpx
import pytest
from processes import run_process
from verifying import NUMBER, SECRET, attempts_of, code_of, holds, outcome, set_account, start, started, verify, wrong


def test_attempts_and_codes_survive_a_restart(store_url, tmp_path):
    with run_process(store_url, tmp_path) as before:
        token = started(before)
        code = code_of(before, token)
        guesses = [outcome(verify(before, token, wrong(code))) for _ in range(4)]

    with run_process(store_url, tmp_path) as after:
        outcomes = [outcome(verify(after, token, guess)) for guess in (wrong(code), code, code)]
        refused = outcome(start(after))

    assert guesses == ["INVALID_CODE"] * 4
    assert outcomes == ["INVALID_CODE", "VERIFIED", "ALREADY_VERIFIED"]
    assert refused == "PHONE_RATE_LIMIT"


def test_a_process_killed_before_it_answers_gives_no_attempt_back(store_url, tmp_path):
    with run_process(store_url, tmp_path) as before:
        token = started(before)
        code = code_of(before, token)

    for _ in range(2):
        with (
            run_process(store_url, tmp_path, "dies-before-it-answers") as dying,
            pytest.raises(httpx.RemoteProtocolError),
        ):
            verify(dying, token, wrong(code))

    with run_process(store_url, tmp_path) as after:
        counted = attempts_of(after, token)
        outcomes = [outcome(verify(after, token, guess)) for guess in [wrong(code)] * 5]

    assert counted == 2
    assert outcomes == ["INVALID_CODE"] * 4 + ["TOO_MANY_ATTEMPTS"]


def test_a_right_code_is_used_even_if_its_answer_was_lost(store_url, tmp_path):
    with run_process(store_url, tmp_path) as before:
        token = started(before)
        code = code_of(before, token)

    with (
        run_process(store_url, tmp_path, "dies-before-it-answers") as dying,
        pytest.raises(httpx.RemoteProtocolError),
    ):
        verify(dying, token, code)

    with run_process(store_url, tmp_path) as after:
        assert outcome(verify(after, token, code)) == "ALREADY_VERIFIED"


@pytest.mark.parametrize("log_format", ["human", "json"])
def test_no_log_line_shows_a_code_a_number_a_token_or_a_proof(store_url, tmp_path, log_format):
    with run_process(store_url, tmp_path, "fails-while-judging", log_format=log_format) as failing:
        set_account(failing, secret=SECRET)
        begun = start(failing).json()
        code = code_of(failing, begun["token"])
        answer = verify(failing, begun["token"], code)

    logged = (tmp_path / "service.log").read_text()
    assert (answer.status_code, outcome(answer)) == (500, "INTERNAL_ERROR")
    assert "the comparison failed" in logged
    assert not holds(logged, code)
    for secret in (NUMBER, begun["token"], begun["proof"], SECRET, failing.key):
        assert secret not in logged
