"""Starts with an ``Idempotency-Key``: the same key twice is one session and one message."""

import hashlib
from dataclasses import dataclass

from sqlalchemy import Connection, delete, select, update
from sqlalchemy.dialects import postgresql, sqlite

from verify_service.problems import Problem
from verify_service.tables import starts

LIFE = 86_400.0
STALE = 60.0
"""Seconds after which a start that never ended is taken for dead."""


@dataclass(frozen=True, slots=True)
class StartKey:
    """A client's key, and what it was used for."""

    key_digest: str
    fingerprint: str

    @classmethod
    def of(cls, key: str, *meaning: str) -> "StartKey":
        """Return what is kept of a key and of the request that it came with."""
        return cls(_digest(key), _digest("\n".join(meaning)))


def claim(connection: Connection, key: StartKey, now: float) -> str | None:
    """Take a key for a start. Returns the session of an earlier one.

    Raises Problem (``idempotency-key-reused``, ``start-in-progress``).
    """
    dialect = sqlite if connection.dialect.name == "sqlite" else postgresql
    row = {"key_digest": key.key_digest, "fingerprint": key.fingerprint, "claimed_at": now}
    take = dialect.insert(starts).on_conflict_do_nothing().returning(starts.c.key_digest)
    if connection.execute(take, row).one_or_none() is not None:
        return None
    question = select(starts.c.fingerprint, starts.c.session_id).where(starts.c.key_digest == key.key_digest)
    found = connection.execute(question).one_or_none()
    if found is not None and found.fingerprint != key.fingerprint:
        raise Problem("idempotency-key-reused")
    if found is not None and found.session_id is not None:
        return str(found.session_id)
    if not _take_over(connection, key, now):
        raise Problem("start-in-progress", retry_after=1)
    return None


def settle(connection: Connection, key: StartKey, session_id: str) -> None:
    """Write which session a start came to."""
    connection.execute(update(starts).where(starts.c.key_digest == key.key_digest).values(session_id=session_id))


def release(connection: Connection, key: StartKey) -> None:
    """Free a key whose start failed."""
    mine = delete(starts).where(starts.c.key_digest == key.key_digest, starts.c.session_id.is_(None))
    connection.execute(mine)


def forget(connection: Connection, now: float) -> None:
    """Delete the starts of yesterday."""
    connection.execute(delete(starts).where(starts.c.claimed_at < now - LIFE))


def _take_over(connection: Connection, key: StartKey, now: float) -> bool:
    dead = update(starts).where(
        starts.c.key_digest == key.key_digest, starts.c.session_id.is_(None), starts.c.claimed_at < now - STALE
    )
    return connection.execute(dead.values(claimed_at=now)).rowcount == 1


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
