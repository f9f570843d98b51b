"""Who has the database, the logs or the status calls has no code (issue "Misuse tests")."""

import hashlib
import hmac

from running_service import VERIFICATION_KEY
from sqlalchemy import select
from verifying import NUMBER, SECRET, code_of, holds, row_of, set_account, start, started, verify, wrong

from interface.signatures import Proven, sign_proof
from messaging_service.clock import utc_date
from messaging_service.store.tables import metadata
from messaging_service.verification.codes import CodeKeeper


def dump(service):
    """Return every row of every table as text."""
    with service.store.reading() as connection:
        return {
            table.name: [repr(tuple(row)) for row in connection.execute(select(table))]
            for table in metadata.sorted_tables
        }


def test_no_row_of_the_database_shows_a_code_or_a_secret(service):
    set_account(service, secret=SECRET, origin="www.example.com")
    token = started(service)
    code = code_of(service, token)
    verify(service, token, wrong(code))

    rows = [row for table in dump(service).values() for row in table]

    assert not any(holds(row, code) for row in rows)
    assert not any(SECRET in row or VERIFICATION_KEY in row for row in rows)
    verify(service, token, code)
    assert not any(holds(row, code) for table in dump(service).values() for row in table)


def test_no_row_of_the_database_shows_a_proof(service):
    set_account(service, secret=SECRET)
    first = start(service, **{"Idempotency-Key": "a-click"})
    again = start(service, **{"Idempotency-Key": "a-click"})
    token, proof = first.json()["token"], first.json()["proof"]
    verified = verify(service, token, code_of(service, token)).json()

    rows = [row for table in dump(service).values() for row in table]

    assert again.content == first.content
    assert verified["proof"] == proof
    assert not any(proof in row for row in rows)


def test_without_the_key_no_candidate_matches(service):
    set_account(service, secret=SECRET)
    begun = start(service, **{"Idempotency-Key": "a-click"}).json()
    token = begun["token"]
    row = row_of(service, token)
    code = code_of(service, token)
    kept = {value for value in row.values() if isinstance(value, str)} | {begun["proof"]}

    # All that the dump holds is tried as the key, and the plain hashes that a hurried author would have taken.
    guesses = [CodeKeeper(value.encode()).digest(token, code) for value in ("", token, row["sealed_code"])]
    plain = [code, token + code, code + token, f"{token}\n{code}"]
    guesses += [hashlib.sha256(text.encode()).hexdigest() for text in plain]
    guesses += [hmac.new(token.encode(), text.encode(), "sha256").hexdigest() for text in plain]
    proven = Proven(NUMBER, token, code, begun["timestamp"])
    guesses += [sign_proof(proven, value) for value in ("", dump(service)["verification_settings"][0])]

    assert kept.isdisjoint(guesses)
    assert CodeKeeper(VERIFICATION_KEY.encode()).digest(token, code) == row["code_digest"]


def test_none_of_a_million_candidates_matches_under_another_key(service):
    token = started(service)
    digest = row_of(service, token)["code_digest"]
    other = CodeKeeper(b"another key than the service has, of course")

    assert not any(other.digest(token, f"{number:06d}") == digest for number in range(1_000_000))


def test_the_status_calls_show_a_mask(service):
    set_account(service, origin="www.example.com")
    token = started(service)
    code = code_of(service, token)
    message_id = row_of(service, token)["message_id"]
    service.wait_for_status(message_id, delivery_code="201")

    record = service.api.get("/v1/message", params={"id": message_id})
    listed = service.api.get("/v1/messages", params={"date": utc_date(service.clock.now())})

    masked = "Your verification code is ******. Do not share it with anyone.\n\n@www.example.com #******"
    assert record.json()["message"]["body"] == masked
    assert [row["body"] for row in listed.json()["messages"]] == [masked]
    assert not holds(record.text + listed.text, code)


def test_an_error_page_shows_nothing_of_what_failed(service, monkeypatch):
    token = started(service)
    monkeypatch.setattr(CodeKeeper, "matches", lambda *_: 1 / 0)

    answer = verify(service, token, "123456")

    assert answer.json() == {"error": "INTERNAL_ERROR", "message": "Unexpected error; try again in a moment."}
