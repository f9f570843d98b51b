"""Checks codes: an attempt is counted, then compared, then a right code is used up."""

from collections.abc import Sequence
from dataclasses import dataclass

import orjson
from sqlalchemy import Connection

from interface.signatures import Proven, sign_proof
from messaging_service.clock import Milliseconds, iso
from messaging_service.refusals import Coded
from messaging_service.store import verification
from messaging_service.verification import measures, refusals
from messaging_service.verification.account import AccountVerification
from messaging_service.verification.accounts import AccountBook
from messaging_service.verification.codes import CodeKeeper


@dataclass(frozen=True, slots=True)
class Attempt:
    """A well-formed code for a session."""

    account_id: int
    token: str
    code: str


Checked = bytes | Coded | Exception
"""What an attempt comes to: the answer's JSON of a right code, a refusal, or what went wrong while it was judged."""


class Checking:
    """Judges attempts, in a transaction that its caller opens. What it says is told only once that is on disk."""

    def __init__(self, codes: CodeKeeper, accounts: AccountBook) -> None:
        self._codes = codes
        self._accounts = accounts

    def write(self, connection: Connection, attempts: Sequence[Attempt], now: Milliseconds) -> list[Checked]:
        """Judge attempts one after another. Returns what each comes to, in order."""
        accounts = self._accounts.read(connection, (attempt.account_id for attempt in attempts))
        outcomes: dict[int, Checked] = {}
        # In the order of their tokens, so that two writers don't wait for each other in a circle.
        for index, attempt in sorted(enumerate(attempts), key=lambda each: each[1].token):
            outcomes[index] = outcome = self._check(connection, attempt, accounts[attempt.account_id], now)
            measures.checked(_name(outcome))
        return [outcomes[index] for index in range(len(attempts))]

    def _check(
        self, connection: Connection, attempt: Attempt, account: AccountVerification, now: Milliseconds
    ) -> Checked:
        session = verification.count_attempt(connection, attempt.account_id, attempt.token, now)
        if session is None:
            return refusals.why_not(verification.find(connection, attempt.token, attempt.account_id), now)
        try:
            is_right = self._codes.matches(session.token, attempt.code, session.code_digest)
        except Exception as error:  # noqa: BLE001 - whatever it is, the attempt stays counted
            return error
        if not is_right:
            return refusals.invalid_code(session)
        proven = Proven(session.phone_number, session.token, attempt.code, iso(session.created_at))
        secret = account.secret.get_secret_value()
        proof = sign_proof(proven, secret) if secret else None
        digest = None if proof is None else self._codes.proof_digest(secret, proof)
        if not verification.consume(connection, session.token, now, digest):
            return refusals.already_verified()
        verification.expire_older(connection, session, now)
        return orjson.dumps(_answer(proven, proof, now))


def _answer(proven: Proven, proof: str | None, now: Milliseconds) -> dict[str, object]:
    answer: dict[str, object] = {
        "verified": True,
        "phoneNumber": proven.phone_number,
        "token": proven.token,
        "code": proven.code,
        "timestamp": proven.timestamp,
        "verifiedAt": iso(now),
    }
    return answer if proof is None else {**answer, "proof": proof}


def _name(outcome: Checked) -> str:
    if isinstance(outcome, Coded):
        return outcome.code
    return "VERIFIED" if isinstance(outcome, bytes) else "INTERNAL_ERROR"
