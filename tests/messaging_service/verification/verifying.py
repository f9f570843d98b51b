"""What the verification tests do with a running service."""

import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

from sqlalchemy import select

from messaging_service.channels.simulated import log
from messaging_service.clock import SECOND
from messaging_service.store.engine import open_store
from messaging_service.store.tables import verifications
from messaging_service.verification.account import AccountVerification
from messaging_service.verification.accounts import AccountBook
from messaging_service.verification.key import open_codes

NUMBER = "420777123456"
ANOTHER_NUMBER = "421903123456"
SECRET = "the-secret-of-the-first-account"
PAUSE = 30 * SECOND
_CODE = re.compile(r"(?<!\d)\d{6}(?!\d)")


def start(service, number=NUMBER, key=None, **headers):
    """Start a verification and return the answer."""
    client = service.client(key or service.key)
    return client.post("/v1/validations", json={"phoneNumber": number}, headers=headers)


def started(service, number=NUMBER, key=None):
    """Start a verification and return its token."""
    answer = start(service, number, key)
    assert answer.status_code == 200, answer.text
    return answer.json()["token"]


def verify(service, token, code, key=None):
    """Check a code and return the answer."""
    return service.client(key or service.key).post(f"/v1/validations/{token}/verify", json={"code": code})


def verify_raw(service, token, body):
    """Check a body that may be anything, and return the answer."""
    headers = {"content-type": "application/json"}
    return service.api.post(f"/v1/validations/{token}/verify", content=body, headers=headers)


def verify_all(service, attempts):
    """Check (token, code) pairs at once and count the answers."""
    with ThreadPoolExecutor(32) as pool:
        answers = list(pool.map(lambda attempt: verify(service, *attempt), attempts))
    return Counter(outcome(answer) for answer in answers)


def outcome(answer):
    """Return the error's code, or VERIFIED."""
    return answer.json().get("error") or ("VERIFIED" if answer.json()["verified"] else "?")


def code_of(service, token):
    """Return the code that arrived for a session, as the simulated operator has it."""
    return _CODE.search(text_of(service, token))[0]


def text_of(service, token):
    """Return the text that arrived for a session."""
    text = select(log.taken.c.text).where(log.taken.c.message_id == row_of(service, token)["message_id"])
    # Opened once: the service waits for this thread while it opens a store, and on a busy machine that is long.
    with closing(open_store(service.settings.operator_url)) as records, records.reading() as connection:
        return service.wait_until(lambda: connection.execute(text).scalar())


def arrived(service):
    """Return all that the simulated operator took: (number, text)."""
    with closing(open_store(service.settings.operator_url)) as records, records.reading() as connection:
        return [(row.phone_number, row.text) for row in connection.execute(select(log.taken))]


def wrong(code):
    """Return a code that isn't this one."""
    return f"{(int(code) + 1) % 1_000_000:06d}"


def row_of(service, token):
    """Return what the store has of a session."""
    with service.store.reading() as connection:
        return connection.execute(select(verifications).where(verifications.c.token == token)).mappings().one()


def attempts_of(service, token):
    """Return how many guesses were counted."""
    return row_of(service, token)["attempts"]


def set_account(service, account_id=1, **settings):
    """Write the verification settings of an account; the first account's number is 1."""
    with service.store.writing() as connection:
        AccountBook(open_codes(service.settings)).write(connection, account_id, AccountVerification(**settings))


def holds(text, digits):
    """Whether six digits stand in a text by themselves, not as a part of an identifier or a moment."""
    return re.search(rf"(?<![0-9a-zA-Z_-]){digits}(?![0-9a-zA-Z_-])", text) is not None
