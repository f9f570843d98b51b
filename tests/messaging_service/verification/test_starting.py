"""What a start sends, and what it is limited by (details, "Verification API")."""

import pytest
from running_service import run_service
from verifying import (
    ANOTHER_NUMBER,
    NUMBER,
    PAUSE,
    arrived,
    code_of,
    outcome,
    row_of,
    set_account,
    start,
    started,
    text_of,
    verify,
)

from messaging_service.clock import HOUR, MINUTE
from messaging_service.store.tables import messages
from messaging_service.verification.texts import TEMPLATES

ANOTHER_KEY = "the-key-of-another-account-0002"


def message_of(service, token):
    return service.api.get("/v1/message", params={"id": row_of(service, token)["message_id"]}).json()["message"]


def test_the_code_goes_out_as_a_priority_message_of_the_account(service):
    answer = service.api.post("/v1/validations", json={"phoneNumber": NUMBER, "payload": {"login": 17}})
    token = answer.json()["token"]
    text = text_of(service, token)

    record = service.wait_for_status(row_of(service, token)["message_id"], delivery_code="201")

    assert text == f"Your verification code is {code_of(service, token)}. Do not share it with anyone."
    assert (record["tag"], record["to"]["phone_number"]) == ("priority", NUMBER)
    assert record["payload"] == {"login": 17}
    assert record["price"] > 0


@pytest.mark.parametrize("language", TEMPLATES)
def test_the_code_comes_in_the_language_of_the_account(service_on_sqlite, language):
    service = service_on_sqlite
    set_account(service, language=language)
    number = f"42077712{list(TEMPLATES).index(language)}777"

    token = started(service, number)

    assert text_of(service, token) == TEMPLATES[language].format(code=code_of(service, token))
    set_account(service)


def test_the_code_comes_in_the_accounts_own_words_and_bound_to_its_origin(service):
    set_account(service, template="Shop: {code}", origin="www.example.com")

    token = started(service)

    code = code_of(service, token)
    assert text_of(service, token) == f"Shop: {code}\n\n@www.example.com #{code}"


def test_the_session_exists_exactly_when_its_message_does(service, monkeypatch):
    monkeypatch.setattr("messaging_service.store.verification.add", lambda *_: 1 / 0)

    answer = start(service)

    with service.store.reading() as connection:
        written = connection.execute(messages.select()).all()
    assert (answer.status_code, outcome(answer)) == (500, "INTERNAL_ERROR")
    assert written == []


def test_a_number_rests_thirty_seconds_between_two_starts(service):
    started(service)
    service.clock.move(PAUSE - 5000)

    refused = start(service)
    service.clock.move(5000)
    taken = start(service)

    assert (refused.status_code, outcome(refused)) == (429, "PHONE_RATE_LIMIT")
    assert 1 <= int(refused.headers["retry-after"]) <= 5
    assert refused.headers["ratelimit-policy"] == '"number-pause";q=1;w=30'
    assert refused.headers["ratelimit"] == f'"number-pause";r=0;t={refused.headers["retry-after"]}'
    assert taken.status_code == 200


def test_a_number_is_started_five_times_an_hour(service):
    for _ in range(5):
        started(service)
        service.clock.move(MINUTE)

    refused = start(service)
    service.clock.move(55 * MINUTE)
    taken = start(service)

    assert (refused.status_code, outcome(refused)) == (429, "PHONE_RATE_LIMIT")
    assert refused.headers["ratelimit-policy"] == '"number";q=5;w=3600'
    assert 54 * 60 <= int(refused.headers["retry-after"]) <= 55 * 60
    assert taken.status_code == 200


def test_a_number_rests_whichever_account_starts(service):
    service.open_account(ANOTHER_KEY)
    started(service)

    assert outcome(start(service, key=ANOTHER_KEY)) == "PHONE_RATE_LIMIT"


def test_an_account_starts_so_many_a_minute(store_url, tmp_path):
    with run_service(store_url, tmp_path, verification_starts_per_account=3) as service:
        service.open_account(ANOTHER_KEY)
        answers = [start(service, f"42077712{index}456") for index in range(4)]

        assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
        assert outcome(answers[3]) == "TENANT_RATE_LIMIT"
        assert answers[3].headers["ratelimit-policy"] == '"account";q=3;w=60'
        assert start(service, "420777129456", key=ANOTHER_KEY).status_code == 200
        service.clock.move(MINUTE)
        assert start(service, "420777129457").status_code == 200


def test_an_account_starts_so_many_an_hour_in_a_country(store_url, tmp_path):
    with run_service(store_url, tmp_path, verification_starts_per_country=2) as service:
        answers = [start(service, f"42077712{index}456") for index in range(3)]

        assert [answer.status_code for answer in answers] == [200, 200, 429]
        assert outcome(answers[2]) == "TENANT_RATE_LIMIT"
        assert answers[2].headers["ratelimit-policy"] == '"country";q=2;w=3600'
        assert start(service, ANOTHER_NUMBER).status_code == 200


def test_so_many_an_hour_start_in_a_prefix(store_url, tmp_path):
    with run_service(store_url, tmp_path, verification_starts_per_prefix=2) as service:
        answers = [start(service, f"42077712345{index}") for index in range(3)]

        assert [answer.status_code for answer in answers] == [200, 200, 429]
        assert outcome(answers[2]) == "PHONE_RATE_LIMIT"
        assert start(service, "420777133456").status_code == 200


def test_a_prefix_of_which_too_few_are_verified_is_refused_for_an_hour(store_url, tmp_path, capfd):
    with run_service(store_url, tmp_path, verification_pumping_starts=10) as service:
        tokens = [started(service, f"42077712345{index}") for index in range(10)]
        for token in tokens[:3]:
            verify(service, token, code_of(service, token))

        refused = start(service, "420777129999")

        assert (refused.status_code, outcome(refused)) == (429, "PHONE_RATE_LIMIT")
        assert refused.headers["ratelimit-policy"] == '"pumping";q=10;w=3600'
        assert 3500 < int(refused.headers["retry-after"]) <= 3600
        assert start(service, "420777133456").status_code == 200
        assert "dovecote_verification_prefixes_refused_total" in service.api.get("/metrics").text
        assert "verification.pumping" in "".join(capfd.readouterr())
        service.clock.move(HOUR)
        assert start(service, "420777129999").status_code == 200


def test_a_prefix_of_which_enough_are_verified_goes_on(store_url, tmp_path):
    with run_service(store_url, tmp_path, verification_pumping_starts=10) as service:
        tokens = [started(service, f"42077712345{index}") for index in range(10)]
        for token in tokens[:4]:
            verify(service, token, code_of(service, token))

        assert start(service, "420777129999").status_code == 200


def test_only_numbers_of_allowed_countries_are_verified(service):
    set_account(service, countries=("SK",))

    refused = [start(service), start(service, "1234567")]

    assert [(answer.status_code, outcome(answer)) for answer in refused] == [(400, "INVALID_PHONE")] * 2
    assert start(service, ANOTHER_NUMBER).status_code == 200


def test_what_is_refused_counts_against_nothing(service):
    for _ in range(10):
        start(service)
    service.clock.move(PAUSE)

    assert start(service).status_code == 200


def test_the_same_idempotency_key_starts_once(service):
    answers = [start(service, **{"Idempotency-Key": "click-17"}) for _ in range(3)]

    code_of(service, answers[0].json()["token"])
    assert len({answer.text for answer in answers}) == 1
    assert len(arrived(service)) == 1


def test_an_idempotency_key_belongs_to_one_number(service):
    start(service, **{"Idempotency-Key": "click-17"})

    answer = start(service, ANOTHER_NUMBER, **{"Idempotency-Key": "click-17"})

    assert (answer.status_code, outcome(answer)) == (422, "IDEMPOTENCY_KEY_REUSED")


def test_a_refused_start_leaves_its_idempotency_key_free(service):
    started(service)
    refused = start(service, **{"Idempotency-Key": "click-17"})
    service.clock.move(PAUSE)

    answer = start(service, **{"Idempotency-Key": "click-17"})

    assert (refused.status_code, answer.status_code) == (429, 200)


def test_the_test_number_gets_no_message(service):
    token = started(service, "420777777777")

    assert message_of(service, token)["status_code"] == "100"
