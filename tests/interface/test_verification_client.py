"""The verification calls of the client, over a real socket (details, "Verification API")."""

import json

import pytest
from pydantic import ValidationError
from scripted_server import Reply

from interface import errors
from interface.client import Addresses, MessagingClient, RetryPolicy
from interface.verification import CodeGiven, ProofToVerify, StartValidation, ValidationVerified

KEY = "a-secret-key"
STARTED = {"token": "t", "status": "pending", "expiresAt": "2026-03-02T09:40:00.000Z", "timestamp": "2026-03-02"}
VERIFIED = {
    "verified": True,
    "phoneNumber": "420777123456",
    "token": "t",
    "code": "042137",
    "timestamp": "2026-03-02T09:30:00.000Z",
    "verifiedAt": "2026-03-02T09:30:41.250Z",
    "proof": "ab" * 32,
}


@pytest.fixture
def client(server):
    with MessagingClient(KEY, Addresses.of(server.address), retries=RetryPolicy(), sleep=lambda _: None) as client:
        yield client


def test_the_calls_go_to_their_paths_with_their_bodies(server, client):
    server.will_answer(
        Reply(200, STARTED),
        Reply(200, VERIFIED),
        Reply(200, {"valid": True, "phoneNumber": "420777123456", "verifiedAt": None}),
        Reply(200, {"valid": False, "expired": True}),
    )

    started = client.start_validation(StartValidation(phone_number="420777123456"), idempotency_key="click")
    verified = client.verify_code("a/token", "042137")
    checked = client.check_proof("t", "ab")
    verdict = client.verify_proof(ProofToVerify.model_validate({**VERIFIED, "proof": "ab"}))

    sent = [(each.method, each.path, each.headers.get("x-api-key"), json.loads(each.body)) for each in server.received]
    proof = {name: VERIFIED[name] for name in ("phoneNumber", "token", "code", "timestamp")} | {"proof": "ab"}
    assert sent == [
        ("POST", "/v1/validations", KEY, {"phoneNumber": "420777123456"}),
        ("POST", "/v1/validations/a%2Ftoken/verify", KEY, {"code": "042137"}),
        ("PATCH", "/v1/validations/t", KEY, {"proof": "ab"}),
        ("POST", "/v1/verify-proof", None, proof),
    ]
    assert server.received[0].headers["idempotency-key"] == "click"
    assert (started.token, started.status, started.proof) == ("t", "pending", None)
    assert (verified.verified, verified.phone_number, verified.code) == (True, "420777123456", "042137")
    assert (checked.valid, verdict.valid, verdict.expired) == (True, False, True)


def test_a_wrong_code_tells_how_many_attempts_are_left(server, client):
    server.will_answer(Reply(400, {"error": "INVALID_CODE", "message": "The code is wrong.", "attemptsRemaining": 5}))

    with pytest.raises(errors.Invalid) as refused:
        client.verify_code("t", "042137")

    assert (refused.value.code, refused.value.attempts_remaining) == ("INVALID_CODE", 5)
    assert refused.value.message == "The code is wrong."


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (401, "INVALID_API_KEY", errors.Unauthorized),
        (404, "NOT_FOUND", errors.NotFound),
        (429, "TOO_MANY_ATTEMPTS", errors.TooManyRequests),
    ],
)
def test_every_refusal_carries_its_code(server, client, status, code, kind):
    server.will_answer(Reply(status, {"error": code, "message": "No."}, {"retry-after": "600"}))

    with pytest.raises(kind) as refused:
        client.verify_code("t", "042137")

    assert refused.value.code == code
    assert getattr(refused.value, "retry_after", 600) == 600


@pytest.mark.parametrize("reply", [Reply(0), Reply(500, {"error": "INTERNAL_ERROR", "message": "Oh."})])
def test_a_guess_is_sent_once_whatever_comes_of_it(server, client, reply):
    server.will_answer(reply)

    with pytest.raises((errors.OutcomeUnknown, errors.ServerFailed)):
        client.verify_code("t", "042137")

    assert len(server.received) == 1


@pytest.mark.parametrize("code", ["12345", "1234567", "123456\n", "١٢٣٤٥٦", 123456])
def test_what_can_not_be_a_code_is_not_sent(client, code):
    with pytest.raises(ValidationError):
        client.verify_code("t", code)


@pytest.mark.parametrize("number", ["+420777123456", "0777123456", "123456", "1234567890123456", "420777123456\n"])
def test_what_can_not_be_a_number_is_not_sent(number):
    with pytest.raises(ValidationError):
        StartValidation(phone_number=number)


def test_codes_and_proofs_stay_out_of_representations():
    shown = repr([CodeGiven(code="042137"), ValidationVerified.model_validate(VERIFIED)])

    assert "042137" not in shown
    assert VERIFIED["proof"] not in shown
