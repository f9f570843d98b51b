"""However many guess at once, in however many processes: counted first, judged then, used once."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from verifying import (
    NUMBER,
    arrived,
    attempts_of,
    code_of,
    outcome,
    set_account,
    start,
    started,
    verify,
    verify_all,
    wrong,
)

from messaging_service.verification.codes import CodeKeeper


def test_of_a_hundred_wrong_guesses_at_once_six_are_judged(service):
    token = started(service)
    code = code_of(service, token)

    outcomes = verify_all(service, [(token, wrong(code))] * 100)

    assert outcomes == {"INVALID_CODE": 6, "TOO_MANY_ATTEMPTS": 94}
    assert attempts_of(service, token) == 6


def test_of_a_hundred_right_guesses_at_once_one_succeeds(service):
    token = started(service)
    code = code_of(service, token)

    outcomes = verify_all(service, [(token, code)] * 100)

    assert outcomes == {"VERIFIED": 1, "ALREADY_VERIFIED": 99}


def test_two_processes_judge_six_guesses_together(service, second):
    token = started(service)
    guess = wrong(code_of(service, token))

    outcomes = both(lambda each: verify_all(each, [(token, guess)] * 50), service, second)

    assert sum(outcomes, Counter()) == {"INVALID_CODE": 6, "TOO_MANY_ATTEMPTS": 94}


def test_a_code_is_used_once_by_two_processes(service, second):
    token = started(service)
    code = code_of(service, token)

    outcomes = both(lambda each: verify_all(each, [(token, code)] * 50), service, second)

    assert sum(outcomes, Counter()) == {"VERIFIED": 1, "ALREADY_VERIFIED": 99}


def test_guesses_at_many_sessions_are_judged_each_for_itself(unlimited):
    numbers = [f"4207771234{index:02d}" for index in range(20)]
    tokens = [started(unlimited, number) for number in numbers]
    codes = {token: code_of(unlimited, token) for token in tokens}

    outcomes = verify_all(unlimited, [(token, wrong(codes[token])) for token in tokens] * 8)

    assert outcomes == {"INVALID_CODE": 120, "TOO_MANY_ATTEMPTS": 40}


def test_starts_at_once_for_one_number_are_one_start(service, second):
    def start_ten(each):
        with ThreadPoolExecutor(10) as pool:
            return Counter(answer.status_code for answer in pool.map(lambda _: start(each), range(10)))

    outcomes = both(start_ten, service, second)

    assert sum(outcomes, Counter()) == {200: 1, 429: 19}


def test_starts_at_once_stay_under_the_limit_of_the_account(service, second):
    def start_forty(each):
        numbers = [f"42077{int(each is second)}{index:03d}0000" for index in range(40)]
        with ThreadPoolExecutor(20) as pool:
            return Counter(outcome_of_start(answer) for answer in pool.map(lambda one: start(each, one), numbers))

    outcomes = both(start_forty, service, second)

    assert sum(outcomes, Counter()) == {"STARTED": 60, "TENANT_RATE_LIMIT": 20}


def test_sessions_of_one_number_get_no_more_guesses_than_its_starts_allow(service):
    tokens = []
    for _ in range(8):
        answer = start(service)
        tokens += [answer.json()["token"]] if answer.status_code == 200 else []
        service.clock.move(30_000)
    guesses = [(token, wrong(code_of(service, token))) for token in tokens]

    outcomes = verify_all(service, guesses * 10)

    assert outcomes["INVALID_CODE"] == 5 * 6


def test_a_failure_while_judging_gives_no_attempt_back(service, monkeypatch):
    token = started(service)
    code = code_of(service, token)
    monkeypatch.setattr(CodeKeeper, "matches", lambda *_: 1 / 0)

    answer = verify(service, token, code)

    assert (answer.status_code, outcome(answer)) == (500, "INTERNAL_ERROR")
    assert attempts_of(service, token) == 1


def test_a_second_process_sees_what_an_account_sets_at_once(service, second):
    set_account(service, attempts=1)
    token = started(second)
    code = code_of(service, token)

    outcomes = [outcome(verify(second, token, guess)) for guess in (wrong(code), code)]

    assert outcomes == ["INVALID_CODE", "TOO_MANY_ATTEMPTS"]


def test_a_double_click_sends_one_message(service, second):
    def click(each):
        return start(each, NUMBER, **{"Idempotency-Key": "one-click"})

    answers = both(click, service, second)

    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.json()["token"] for answer in answers}) == 1
    code_of(service, answers[0].json()["token"])
    assert len(arrived(service)) == 1


def both(do, first, second):
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(do, (first, second)))


def outcome_of_start(answer):
    return answer.json().get("error", "STARTED")
