"""Checks proofs of verifications (details, "Verification API"): they hold for a day, and only for what was verified."""

from dataclasses import dataclass

from interface.signatures import Proven, check_proof
from messaging_service.clock import DAY, Clock, Milliseconds, iso
from messaging_service.store import verification
from messaging_service.store.engine import Store
from messaging_service.verification import refusals
from messaging_service.verification.accounts import AccountBook
from messaging_service.verification.codes import CodeKeeper, is_code, is_token
from messaging_service.verification.session import Session

PROOF_LIFE: Milliseconds = DAY


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a proof holds; ``is_expired`` when it did and is too old now."""

    is_valid: bool
    is_expired: bool = False


class Proofs:
    """Reads sessions and settings; writes nothing."""

    def __init__(self, store: Store, clock: Clock, codes: CodeKeeper, accounts: AccountBook) -> None:
        self._store = store
        self._clock = clock
        self._codes = codes
        self._accounts = accounts

    def check_own(self, account_id: int, token: str, proof: str) -> tuple[Session, bool]:
        """Return a session of an account, and whether it is verified with this proof. Raises Coded (NOT_FOUND)."""
        with self._store.reading() as connection:
            session = verification.find(connection, token, account_id)
            if session is None:
                raise refusals.not_found()
            secret = self._accounts.read_one(connection, account_id).secret.get_secret_value()
        # Under the present secret: one that was exchanged vouches for nothing any more.
        is_right = bool(secret and session.proof_digest) and self._codes.matches_proof(
            secret, proof, session.proof_digest or ""
        )
        return session, is_right and not self._is_too_old(session)

    def check_any(self, proven: Proven, proof: str) -> Verdict:
        """Judge a proof that anybody may ask about, of whichever account.

        Only for verified sessions: for others, whoever got the proof of a start could try codes with it here.
        """
        if not is_token(proven.token) or not is_code(proven.code):
            return Verdict(is_valid=False)
        with self._store.reading() as connection:
            session = verification.find(connection, proven.token)
            if session is None or session.verified_at is None or not _is_of(session, proven):
                return Verdict(is_valid=False)
            secret = self._accounts.read_one(connection, session.account_id).secret.get_secret_value()
        if not secret or not check_proof(proven, proof, secret):
            return Verdict(is_valid=False)
        is_expired = self._is_too_old(session)
        return Verdict(not is_expired, is_expired)

    def _is_too_old(self, session: Session) -> bool:
        return self._clock.now() >= session.created_at + PROOF_LIFE


def _is_of(session: Session, proven: Proven) -> bool:
    """Whether the fields are those of the session; with them fixed, no byte can move from one field to another."""
    return proven.phone_number == session.phone_number and proven.timestamp == iso(session.created_at)
