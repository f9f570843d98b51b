"""What an account sets about its verifications, on the command line."""

import re

import pytest
from typer.testing import CliRunner
from verifying import NUMBER, code_of, row_of, start, started, text_of, verify

from interface.results import Result
from messaging_service.store import verification
from messaging_service.verification.commands import app


@pytest.fixture
def dovecote(service, monkeypatch):
    """Run a command on the service's store."""
    monkeypatch.setenv("DOVECOTE_VERIFICATION_KEY", service.settings.verification_key.get_secret_value())
    monkeypatch.setenv("DOVECOTE_DATABASE", service.settings.database)
    return lambda *arguments: CliRunner().invoke(app, arguments)


def test_what_is_set_holds_for_the_next_start(service, dovecote):
    done = dovecote("set", "--language", "cs", "--origin", "www.example.com", "--countries", "CZ,SK")

    token = started(service)

    code = code_of(service, token)
    assert done.exit_code == 0
    assert "Countries: CZ, SK" in done.output
    assert text_of(service, token) == f"Ověřovací kód: {code}. Nikomu ho nesdělujte.\n\n@www.example.com #{code}"


def test_a_new_secret_is_shown_once_and_signs_proofs(service, dovecote):
    done = dovecote("set", "--new-secret")

    token = started(service)
    answer = verify(service, token, code_of(service, token)).json()

    secret = re.search("^[0-9a-f]{64}$", done.output, re.MULTILINE)[0]
    assert "proof" in answer
    assert secret not in dovecote("show").output
    assert "Proofs: signed" in dovecote("show").output


def test_what_is_not_given_stays(dovecote):
    dovecote("set", "--attempts", "3", "--language", "de")

    done = dovecote("set", "--attempts", "4")

    assert "Attempts: 4\nLanguage: de\n" in done.output


@pytest.mark.parametrize("wrong", [("--attempts", "0"), ("--language", "fr"), ("--secret", "short-secret")])
def test_what_can_not_be_is_one_sentence(dovecote, wrong):
    done = dovecote("set", *wrong)

    assert done.exit_code == 2
    assert done.output.startswith(wrong[0].removeprefix("--"))
    assert done.output.count("\n") == 1
    assert "short-secret" not in done.output


def result_of(service, token):
    with service.store.reading() as connection:
        return verification.message_result(connection, token)


def test_the_status_of_a_session_is_told(service, dovecote):
    token = started(service)
    code = code_of(service, token)
    service.wait_until(lambda: result_of(service, token) is Result.DELIVERED)

    before = dovecote("status", token).output
    verify(service, token, code)
    told = dovecote("status", token).output

    assert before.startswith("code_sent; 6 attempts left")
    assert told.startswith("verified; 5 attempts left; expires 20")
    assert code not in told.split("expires")[0]
    assert NUMBER not in told


def test_a_start_on_an_empty_wallet_is_taken_and_has_failed_once_its_message_is_rejected(service, dovecote):
    service.open_account("the-key-without-credit", credit=0)

    answer = start(service, key="the-key-without-credit")

    token = answer.json()["token"]
    service.wait_until(lambda: result_of(service, token) is Result.REJECTED)
    record = service.client("the-key-without-credit").get(
        "/v1/message", params={"id": row_of(service, token)["message_id"]}
    )
    assert (answer.status_code, answer.json()["status"]) == (200, "pending")
    assert record.json()["message"]["status_code"] == "307"
    assert dovecote("status", token).output.startswith("failed; 6 attempts left")


def test_the_status_of_an_unknown_token_is_one_sentence(dovecote):
    done = dovecote("status", "x" * 43)

    assert (done.exit_code, done.output) == (1, "There is no verification with this token.\n")
