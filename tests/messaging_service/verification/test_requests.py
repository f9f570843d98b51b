"""What isn't a request of the verification API is refused before it does anything (specification 7.4)."""

import json

import pytest
from verifying import NUMBER, arrived, attempts_of, code_of, outcome, start, started, verify, verify_raw

from interface.results import Result
from messaging_service.store import verification

NO_NUMBERS = [
    "+420777123456",
    "00420777123456",
    "0777123456",
    "420 777 123 456",
    "420777123456\n",
    "123456",
    "1234567890123456",
    "٤٢٠٧٧٧١٢٣٤٥٦",
    "420777123456\x00",
    "\ud800",
    "",
    420777123456,
    True,
    [NUMBER],
    {"phoneNumber": NUMBER},
]
NO_CODES = [
    "12345",
    "1234567",
    "123456\n",
    " 123456",
    "١٢٣٤٥٦",
    "12345a",
    "-12345",
    "1e5000",
    "",
    123456,
    1.5,
    True,
    [],
]
NO_OBJECTS = [
    b"",
    b"{",
    b"[]",
    b'["123456"]',
    b'"123456"',
    b"123456",
    b"null",
    b'{"code": "123456", "code": "123457"}',
    b'{"code": "\xff"}',
    b"\xef\xbb\xbf{}",
    b'{"code": "123456", "more": NaN}',
    '{"code": "123456"}'.encode("utf-16"),
    b"[" * 100_000,
    b'{"code": ' + b"9" * 10_000 + b"}",
]


def test_what_is_no_number_with_country_code_is_refused(service):
    answers = [
        service.api.post(
            "/v1/validations",
            content=json.dumps({"phoneNumber": given}),
            headers={"content-type": "application/json"},
        )
        for given in NO_NUMBERS
    ]

    assert [(answer.status_code, outcome(answer)) for answer in answers] == [(400, "INVALID_PHONE")] * len(NO_NUMBERS)
    assert arrived(service) == []


@pytest.mark.parametrize("body", [{}, {"phoneNumber": None}, {"phonenumber": NUMBER}])
def test_a_start_needs_a_number(service_on_sqlite, body):
    answer = service_on_sqlite.api.post("/v1/validations", json=body)

    assert (answer.status_code, answer.json()) == (
        400,
        {"error": "MISSING_FIELD", "message": "phoneNumber is required."},
    )


@pytest.mark.parametrize("payload", ["text", ["a", "list"], {"number": 2**70}, {"nul": "\x00"}])
def test_a_payload_must_be_an_object_that_can_be_given_back(service_on_sqlite, payload):
    answer = service_on_sqlite.api.post("/v1/validations", json={"phoneNumber": "420777123499", "payload": payload})

    assert (answer.status_code, outcome(answer)) == (400, "INVALID_REQUEST")
    assert answer.json()["message"].startswith("payload must")


@pytest.mark.parametrize("number", ["1234567", "999999999999999"])
def test_a_number_of_no_country_is_taken_and_its_message_rejected(service_on_sqlite, number):
    service = service_on_sqlite

    token = started(service, number)

    assert verify(service, token, "123456").status_code in {200, 400}
    service.wait_until(lambda: result_of(service, token) is Result.REJECTED)


def test_digits_that_look_national_are_taken_with_the_country_code_they_begin_with(service):
    token = started(service, "777123456")

    service.wait_until(lambda: result_of(service, token) is Result.REJECTED)
    assert arrived(service) == []


def test_what_is_no_code_is_refused_and_is_no_attempt(service):
    token = started(service)

    answers = [verify(service, token, given) for given in NO_CODES]

    refused = (400, {"error": "INVALID_CODE_FORMAT", "message": "code must be a string of exactly 6 digits."})
    assert [(answer.status_code, answer.json()) for answer in answers] == [refused] * len(NO_CODES)
    assert attempts_of(service, token) == 0


def test_what_is_no_object_is_refused_and_is_no_attempt(service):
    token = started(service)

    answers = [verify_raw(service, token, body) for body in NO_OBJECTS]

    assert [(answer.status_code, outcome(answer)) for answer in answers] == [(400, "INVALID_REQUEST")] * len(NO_OBJECTS)
    assert attempts_of(service, token) == 0


def test_a_check_needs_a_code(service_on_sqlite):
    answer = service_on_sqlite.api.post(f"/v1/validations/{'x' * 43}/verify", json={})

    assert (answer.status_code, answer.json()) == (400, {"error": "MISSING_FIELD", "message": "code is required."})


def test_a_body_that_is_not_json_by_its_type_is_refused(service_on_sqlite):
    answer = service_on_sqlite.api.post("/v1/validations", data={"phoneNumber": NUMBER})

    assert (answer.status_code, outcome(answer)) == (415, "WRONG_CONTENT_TYPE")


def test_a_body_over_the_limit_is_refused(service_on_sqlite):
    answer = service_on_sqlite.api.post("/v1/validations", json={"phoneNumber": NUMBER, "payload": {"x": "y" * 2**21}})

    assert (answer.status_code, outcome(answer)) == (413, "TOO_LARGE")


def test_two_writings_of_a_number_are_one_number(service):
    first = start(service, "447911123456")
    second = start(service, "4407911123456")

    assert (first.status_code, outcome(second)) == (200, "PHONE_RATE_LIMIT")
    assert code_of(service, first.json()["token"])


def result_of(service, token):
    with service.store.reading() as connection:
        return verification.message_result(connection, token)
