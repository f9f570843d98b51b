"""What callers read when the store fails them (specification 7.1): a 500, which call it was, and nothing else."""

import pytest
from running_service import RunningService, run_service
from sqlalchemy import text


@pytest.fixture(scope="module")
def broken_service(tmp_path_factory):
    folder = tmp_path_factory.mktemp("broken")
    with run_service(f"sqlite:///{folder}/dovecote.db", folder) as running:
        with running.store.writing() as connection:
            connection.execute(text("ALTER TABLE keys RENAME TO lost_keys"))
        yield running


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("/v1/message?id=m", "Failed to read message"),
        ("/v1/messages?date=2026-03-01", "Failed to read messages"),
        ("/v1/billing/topup", "Failed to get topup info"),
        ("/v1/inbox?date=2026-03-01", "Unexpected error"),
        ("/v2/simple/message?phone_number=420777777777&message=x", "Unexpected error"),
    ],
)
def test_a_call_that_fails_says_which_it_was_and_no_more(broken_service: RunningService, path, sentence):
    answer = broken_service.client("a-key-that-must-be-looked-up").get(path)

    assert (answer.status_code, answer.json()) == (500, {"message": sentence})
