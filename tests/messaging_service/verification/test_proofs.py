"""Proofs: whoever alters anything in one, or was given another's, is refused (details, "Verification API")."""

import json

import pytest
from running_service import KEY
from verifying import NUMBER, SECRET, code_of, outcome, set_account, started, verify, wrong

from interface.signatures import Proven, sign_proof
from messaging_service.clock import DAY, iso

ANOTHER_KEY = "the-key-of-another-account-0002"
FIELDS = ("phoneNumber", "token", "code", "timestamp")


@pytest.fixture
def proven(service):
    """A verified session of an account with a secret: the answer of its check."""
    set_account(service, secret=SECRET)
    token = started(service)
    return verify(service, token, code_of(service, token)).json()


def proof_of(service, answer, **changed):
    """Ask about a proof without a key."""
    body = {name: answer[name] for name in (*FIELDS, "proof")} | changed
    return service.client(None).post("/v1/verify-proof", json=body)


def check_own(service, token, proof, key=KEY):
    """Ask about a session of an account by its proof."""
    return service.client(key).patch(f"/v1/validations/{token}", json={"proof": proof})


def test_a_proof_signs_number_token_code_and_time(proven):
    signed = Proven(NUMBER, proven["token"], proven["code"], proven["timestamp"])

    assert proven["proof"] == sign_proof(signed, SECRET)


def test_a_start_gives_the_proof_that_its_code_will_have(service):
    set_account(service, secret=SECRET)
    begun = service.api.post("/v1/validations", json={"phoneNumber": NUMBER}).json()

    verified = verify(service, begun["token"], code_of(service, begun["token"])).json()

    assert (begun["proof"], begun["timestamp"]) == (verified["proof"], verified["timestamp"])


def test_a_true_proof_holds_as_often_as_it_is_asked_about(service, proven):
    answers = [proof_of(service, proven).json() for _ in range(2)]

    assert answers == [{"valid": True}] * 2
    assert check_own(service, proven["token"], proven["proof"]).json() == {
        "valid": True,
        "phoneNumber": NUMBER,
        "verifiedAt": proven["verifiedAt"],
    }


def test_a_proof_with_anything_altered_is_refused(service, proven):
    altered = [
        {"phoneNumber": "420777123457"},
        {"token": "x" * 43},
        {"token": "never\x00there"},
        {"code": wrong(proven["code"])},
        {"code": "\ud800"},
        {"timestamp": proven["timestamp"].replace("Z", "+00:00")},
        {"timestamp": iso(service.clock.now() + DAY)},
        {"proof": proven["proof"].upper()},
        {"proof": proven["proof"][:-1]},
        {"proof": f"{proven['proof']}\n"},
        {"proof": "0" * 64},
        {"proof": "\ud800"},
        {"proof": ""},
    ]

    answers = [proof_of_raw(service, proven, change) for change in altered]

    assert [(answer.status_code, answer.json()) for answer in answers] == [(200, {"valid": False})] * len(altered)


def test_bytes_moved_over_a_border_between_fields_are_refused(service, proven):
    moved = [
        {"phoneNumber": f"{NUMBER}\n{proven['token'][:1]}", "token": proven["token"][1:]},
        {"phoneNumber": NUMBER[:-1], "token": f"{NUMBER[-1]}{proven['token']}"},
        {"token": f"{proven['token']}\n{proven['code']}", "code": proven["timestamp"], "timestamp": ""},
        {"code": f"{proven['code']}\n{proven['timestamp']}", "timestamp": ""},
    ]

    answers = [proof_of(service, proven, **change).json() for change in moved]

    assert answers == [{"valid": False}] * len(moved)


@pytest.mark.parametrize("missing", [*FIELDS, "proof"])
def test_a_proof_without_one_of_its_fields_is_refused(service_on_sqlite, missing):
    whole = dict.fromkeys((*FIELDS, "proof"), "x")

    answer = service_on_sqlite.client(None).post(
        "/v1/verify-proof", json={name: value for name, value in whole.items() if name != missing}
    )

    assert (answer.status_code, answer.json()) == (
        400,
        {"error": "MISSING_FIELD", "message": f"{missing} is required."},
    )


def test_a_proof_holds_for_a_day(service, proven):
    service.clock.move(DAY)

    assert proof_of(service, proven).json() == {"valid": False, "expired": True}
    assert proof_of(service, proven, code=wrong(proven["code"])).json() == {"valid": False}
    assert check_own(service, proven["token"], proven["proof"]).json()["valid"] is False


def test_a_proof_of_a_code_that_was_not_given_holds_nowhere(service):
    set_account(service, secret=SECRET)
    begun = service.api.post("/v1/validations", json={"phoneNumber": NUMBER}).json()
    code = code_of(service, begun["token"])

    assert proof_of(service, begun | {"phoneNumber": NUMBER, "code": code}).json() == {"valid": False}
    assert check_own(service, begun["token"], begun["proof"]).json() == {
        "valid": False,
        "phoneNumber": NUMBER,
        "verifiedAt": None,
    }


@pytest.mark.parametrize("secret", ["", "the-secret-after-the-first-one"])
def test_a_secret_that_was_exchanged_or_removed_vouches_for_nothing(service, proven, secret):
    set_account(service, secret=secret)

    assert proof_of(service, proven).json() == {"valid": False}
    assert check_own(service, proven["token"], proven["proof"]).json()["valid"] is False


def test_without_a_secret_there_are_no_proofs(service):
    token = started(service)
    answer = verify(service, token, code_of(service, token)).json()
    unkeyed = sign_proof(Proven(NUMBER, token, answer["code"], answer["timestamp"]), "")

    assert "proof" not in answer
    assert proof_of(service, answer | {"proof": unkeyed}).json() == {"valid": False}
    assert check_own(service, token, unkeyed).json()["valid"] is False


def test_another_accounts_secret_signs_nothing_for_this_one(service, proven):
    signed = Proven(NUMBER, proven["token"], proven["code"], proven["timestamp"])
    forged = sign_proof(signed, "the-secret-of-another-account")

    assert proof_of(service, proven, proof=forged).json() == {"valid": False}
    assert check_own(service, proven["token"], forged).json()["valid"] is False


def test_another_account_can_not_ask_by_token(service, proven):
    service.open_account(ANOTHER_KEY)

    answer = check_own(service, proven["token"], proven["proof"], key=ANOTHER_KEY)

    assert (answer.status_code, outcome(answer)) == (404, "NOT_FOUND")


def test_the_proof_of_one_session_is_none_of_another(service, proven):
    service.clock.move(30_000)
    token = started(service)
    other = verify(service, token, code_of(service, token)).json()

    assert check_own(service, token, proven["proof"]).json()["valid"] is False
    assert proof_of(service, other, proof=proven["proof"]).json() == {"valid": False}


def proof_of_raw(service, answer, changed):
    """Ask about a proof whose texts may hold what no client library would send."""
    body = {name: answer[name] for name in (*FIELDS, "proof")} | changed
    return service.client(None).post(
        "/v1/verify-proof", content=json.dumps(body), headers={"content-type": "application/json"}
    )
