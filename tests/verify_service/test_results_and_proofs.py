"""What back ends ask: results, once each, and proofs, which this service checks by itself."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import httpx
import pytest
from fake_upstream import FakeUpstream
from running_verify import NUMBER, SERVICE_KEY, RunningVerify, run_verify, settings_for

from interface.signatures import Proven, sign_proof

SECRET = "the-verification-secret-0001"
NEW_SECRET = "the-verification-secret-0002"
OLD_SECRET = "the-verification-secret-0000"


def verified(service: RunningVerify, upstream: FakeUpstream) -> str:
    browser = service.browser()
    session = browser.started()
    return str(browser.check(session, upstream.code_for(NUMBER)).json()["result"])


def redeem(service: RunningVerify, result: str) -> httpx.Response:
    return service.back_end().post("/results/redeem", json={"result": result})


def test_a_result_is_redeemed_once(service_on_each: RunningVerify, upstream: FakeUpstream) -> None:
    result = verified(service_on_each, upstream)

    first, second = redeem(service_on_each, result), redeem(service_on_each, result)

    assert first.status_code == 200
    assert (second.status_code, second.json()["code"]) == (410, "result-used")


def test_a_result_is_redeemed_once_by_two_processes_at_once(upstream: FakeUpstream, each_database: str) -> None:
    settings = settings_for(upstream.url, each_database)
    with run_verify(settings) as one, run_verify(settings) as other, ThreadPoolExecutor(10) as pool:
        result = verified(one, upstream)
        answers = list(pool.map(lambda each: redeem(each, result), [one, other] * 5))

    assert sorted(answer.status_code for answer in answers) == [200] + [410] * 9


def test_a_result_lasts_five_minutes_and_the_difference_of_the_clocks(
    service: RunningVerify, upstream: FakeUpstream
) -> None:
    result = verified(service, upstream)
    service.clock.ahead = 361

    answer = redeem(service, result)

    assert (answer.status_code, answer.json()["code"]) == (410, "result-expired")


@pytest.mark.parametrize("ahead", [-50, 50])
def test_a_machine_whose_clock_differs_a_little_redeems_it(upstream: FakeUpstream, database: str, ahead: float) -> None:
    settings = settings_for(upstream.url, database)
    with run_verify(settings) as one, run_verify(settings) as other:
        other.clock.ahead = ahead
        browser, elsewhere = one.browser(), other.browser()
        session = browser.started()
        elsewhere.cookies = browser.cookies
        result = elsewhere.check(session, upstream.code_for(NUMBER)).json()["result"]

        assert redeem(one, result).status_code == 200


def test_back_ends_need_the_key(service: RunningVerify) -> None:
    keys = ["", "x" * 28, SERVICE_KEY[:-1], SERVICE_KEY + "1", "ž" * 5]

    answers = [
        httpx.post(service.url + path, json={}, headers={"X-API-Key": key.encode()} if key else {})
        for path in ("/results/redeem", "/proofs/validate")
        for key in keys
    ]

    assert {(answer.status_code, answer.json()["code"]) for answer in answers} == {(401, "unauthorized")}


def test_without_a_key_in_the_settings_nobody_gets_in(upstream: FakeUpstream, database: str) -> None:
    with run_verify(settings_for(upstream.url, database, service_keys="")) as service:
        answers = [service.back_end(key).post("/results/redeem", json={"result": "x"}) for key in ("", SERVICE_KEY)]

    assert {answer.status_code for answer in answers} == {401}


def test_service_keys_rotate(upstream: FakeUpstream, database: str) -> None:
    keys = f"a-new-key-of-the-back-end,{SERVICE_KEY}"
    with run_verify(settings_for(upstream.url, database, service_keys=keys)) as service:
        answers = [service.back_end(key).post("/proofs/validate", json={}) for key in keys.split(",")]

    assert {answer.status_code for answer in answers} == {200}


@pytest.fixture
def with_secrets(upstream: FakeUpstream, each_database: str) -> Iterator[RunningVerify]:
    """The service while the account's secret is exchanged."""
    settings = settings_for(upstream.url, each_database, proof_secrets=f"{NEW_SECRET},{SECRET}")
    with run_verify(settings) as running:
        yield running


def proof_of(secret: str = SECRET, ago: timedelta = timedelta(minutes=1), **altered: str) -> dict[str, str]:
    """Return the body that a back end sends; what is ``altered`` isn't what was signed."""
    started = (datetime.now(UTC) - ago).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    proven = Proven(NUMBER, "Zm9sbG93LXRoZS1kb3Zl", "042137", started)
    body = {"phoneNumber": NUMBER, "token": proven.token, "code": proven.code, "timestamp": started}
    return body | {"proof": sign_proof(proven, secret)} | altered


def validate(service: RunningVerify, body: Any) -> dict[str, Any]:
    answer = service.back_end().post("/proofs/validate", json=body)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def test_a_proof_is_good_once(with_secrets: RunningVerify) -> None:
    bodies = [proof_of(SECRET), proof_of(NEW_SECRET) | {"token": "x"}]
    bodies[1]["proof"] = sign_proof(Proven(*list(bodies[1].values())[:4]), NEW_SECRET)

    first, second = ([validate(with_secrets, body) for body in bodies] for _ in range(2))

    assert first == [{"valid": True}] * 2
    assert second == [{"valid": False, "reason": "used"}] * 2


def test_a_verification_with_a_proof_under_each_secret_is_good_once(with_secrets: RunningVerify) -> None:
    one = proof_of(SECRET)
    other = one | {
        "proof": sign_proof(Proven(one["phoneNumber"], one["token"], one["code"], one["timestamp"]), NEW_SECRET)
    }

    assert [validate(with_secrets, body) for body in (one, other)] == [
        {"valid": True},
        {"valid": False, "reason": "used"},
    ]


def test_proofs_are_refused_for_their_reason(with_secrets: RunningVerify) -> None:
    refused = {
        "another number": (proof_of(phoneNumber="420777123457"), "wrong"),
        "another token": (proof_of(token="Zm9sbG93LXRoZS1kb3Zf"), "wrong"),
        "another code": (proof_of(code="042138"), "wrong"),
        "another time": (proof_of(timestamp=datetime.now(UTC).isoformat(timespec="milliseconds")), "wrong"),
        "another proof": (proof_of(proof="0" * 64), "wrong"),
        "upper case": (proof_of() | {"proof": proof_of()["proof"].upper()}, "wrong"),
        "another account's secret": (proof_of("the-secret-of-somebody-else"), "wrong"),
        "a rotated-out secret": (proof_of(OLD_SECRET), "wrong"),
        "an empty secret": (proof_of(""), "wrong"),
        "too old": (proof_of(ago=timedelta(hours=24, seconds=1)), "expired"),
        "from the future": (proof_of(ago=timedelta(minutes=-2)), "future"),
        "empty": (proof_of(proof=""), "missing"),
        "no code": (proof_of(code=""), "missing"),
        "nothing": ({}, "missing"),
        "letters in the code": (proof_of(code="04213x"), "malformed"),
        "a time that is none": (proof_of(timestamp="2026-13-40T99:99:99Z"), "malformed"),
        "a time without a zone": (proof_of(timestamp="2026-03-02T09:30:00.000"), "malformed"),
        "not ASCII": (proof_of(proof="ž" * 64), "wrong"),
        "Arabic digits": (proof_of(code="٠٤٢١٣٧"), "malformed"),
    }

    verdicts = {name: validate(with_secrets, body) for name, (body, _) in refused.items()}

    assert verdicts == {name: {"valid": False, "reason": reason} for name, (_, reason) in refused.items()}


def test_no_byte_moves_from_one_field_to_another(with_secrets: RunningVerify) -> None:
    body = proof_of()
    fields = ["phoneNumber", "token", "code", "timestamp"]
    moved = []
    for one, other in [*pairwise(fields), ("timestamp", "phoneNumber")]:
        moved.append(body | {one: body[one] + body[other][0], other: body[other][1:]})
        moved.append(body | {one: body[one][:-1], other: body[one][-1] + body[other]})
        moved.append(body | {one: f"{body[one]}\n{body[other]}", other: ""})

    verdicts = [validate(with_secrets, each)["valid"] for each in moved]

    assert verdicts == [False] * 12


def test_a_refused_proof_is_not_used_up(with_secrets: RunningVerify) -> None:
    body = proof_of()

    validate(with_secrets, body | {"proof": "0" * 64})

    assert validate(with_secrets, body) == {"valid": True}


def test_without_a_secret_every_proof_is_refused(service: RunningVerify) -> None:
    assert validate(service, proof_of()) == {"valid": False, "reason": "no-secret"}
    assert validate(service, proof_of("")) == {"valid": False, "reason": "no-secret"}


def test_a_field_of_the_wrong_kind_is_a_400(service: RunningVerify) -> None:
    altered: list[Any] = [{"code": 42137}, {"proof": None}, {"token": ["x"]}]

    answers = [service.back_end().post("/proofs/validate", json=proof_of() | each) for each in altered]

    assert [answer.status_code for answer in answers] == [400, 400, 400]
