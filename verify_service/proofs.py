"""Checks the upstream's proofs here, with the account's secret: constant time, age, and each verification once."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum

from sqlalchemy import Connection, delete
from sqlalchemy.dialects import postgresql, sqlite

from interface.signatures import Proven, check_proof
from verify_service.database import Clock, Store
from verify_service.tables import used_proofs

# With these shapes no byte can move from one field into the next.
_SHAPES = {
    "phone_number": re.compile(r"[1-9][0-9]{6,14}"),
    "token": re.compile(r"[\x21-\x7e]{1,200}"),
    "code": re.compile(r"[0-9]{6}"),
    "timestamp": re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]{5,15}(?:Z|[+-][0-9]{2}:[0-9]{2})"),
}


class Reason(StrEnum):
    """Why a proof is refused."""

    NO_SECRET = "no-secret"  # noqa: S105 - this service has none configured
    MISSING = "missing"
    MALFORMED = "malformed"
    WRONG = "wrong"
    EXPIRED = "expired"
    FUTURE = "future"
    USED = "used"


@dataclass(frozen=True, slots=True)
class ProofRules:
    """``secrets`` that may have signed, and for how many seconds a proof is good, on clocks that differ a little."""

    secrets: Sequence[str]
    life: float
    clock_tolerance: float


class Proofs:
    """Judges proofs and remembers those that it accepted."""

    def __init__(self, rules: ProofRules, store: Store, now: Clock) -> None:
        self._rules = rules
        self._store = store
        self._now = now

    def refusal(self, proven: Proven, proof: str) -> Reason | None:
        """Return why a proof is refused; None accepts it, for the first and only time."""
        now = self._now()
        reason = judge(proven, proof, self._rules, now)
        if reason is not None:
            return reason
        with self._store.settling() as connection:
            is_first = _use(connection, proven, now + self._rules.life + self._rules.clock_tolerance)
        return None if is_first else Reason.USED


def judge(proven: Proven, proof: str, rules: ProofRules, now: float) -> Reason | None:
    """Return what is wrong with a proof, but for whether it was used. Pure."""
    if not rules.secrets:
        return Reason.NO_SECRET
    if not proof or not all(proven):
        return Reason.MISSING
    started = _started(proven)
    if started is None:
        return Reason.MALFORMED
    # Each secret is tried, so that the time tells nothing.
    if not any([check_proof(proven, proof, secret) for secret in rules.secrets]):  # noqa: C419
        return Reason.WRONG
    age = now - started
    if age < -rules.clock_tolerance:
        return Reason.FUTURE
    return Reason.EXPIRED if age >= rules.life else None


def forget(connection: Connection, now: float) -> None:
    """Delete what is remembered of proofs that are too old anyway."""
    connection.execute(delete(used_proofs).where(used_proofs.c.expires_at < now))


def _started(proven: Proven) -> float | None:
    """Return when the verification started, in Unix seconds; None when a field hasn't its shape."""
    if not all(shape.fullmatch(getattr(proven, name)) for name, shape in _SHAPES.items()):
        return None
    try:
        return datetime.fromisoformat(proven.timestamp).astimezone(UTC).timestamp()
    except (ValueError, OverflowError):
        return None


def _use(connection: Connection, proven: Proven, until: float) -> bool:
    # By the verification, not by the proof: while a secret is exchanged one verification may have two proofs.
    digest = hashlib.sha256(proven.token.encode()).hexdigest()
    dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
    row = {"digest": digest, "expires_at": until}
    use = dialect.insert(used_proofs).on_conflict_do_nothing().returning(used_proofs.c.digest)
    return connection.execute(use, row).one_or_none() is not None
