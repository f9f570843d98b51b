"""The promise of ``Idempotency-Key``: the same call again within a day gets the first answer."""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import Connection

from messaging_service.clock import DAY, Milliseconds
from messaging_service.refusals import StillRunning, UsedForAnotherCall
from messaging_service.store import idempotency_keys

KEPT_FOR: Milliseconds = DAY


@dataclass(frozen=True, slots=True)
class IdempotentCall:
    """A call that its sender may repeat."""

    key_id: int
    idempotency_key: str
    digest: str


def identify(key_id: int, idempotency_key: str, path: str, body: bytes) -> IdempotentCall:
    """Name a call by its key, and by a digest of what it asks for."""
    return IdempotentCall(key_id, idempotency_key, hashlib.sha256(path.encode() + b"\n" + body).hexdigest())


class CallsInFlight:
    """The idempotent calls that this process is answering at the moment."""

    def __init__(self) -> None:
        self._running: set[tuple[int, str]] = set()

    @contextmanager
    def running(self, call: IdempotentCall | None) -> Iterator[None]:
        """Hold a call's key while the block runs. Raises StillRunning when it is held already."""
        if call is None:
            yield
            return
        name = (call.key_id, call.idempotency_key)
        if name in self._running:
            raise StillRunning
        self._running.add(name)
        try:
            yield
        finally:
            self._running.discard(name)


def was_answered(connection: Connection, call: IdempotentCall, now: Milliseconds) -> bool:
    """Tell whether a call's key came before, with this call or another."""
    return idempotency_keys.holds(connection, call.key_id, call.idempotency_key, now - KEPT_FOR)


def claim(connection: Connection, call: IdempotentCall, response: bytes, now: Milliseconds) -> bytes | None:
    """Write the answer under the call's key, in the transaction that does the work.

    Returns None when the key was free: go on. Returns the first answer when the call came before. Raises
    UsedForAnotherCall when the key came before with something else.
    """
    row = {
        "key_id": call.key_id,
        "idempotency_key": call.idempotency_key,
        "digest": call.digest,
        "response": response.decode(),
        "created_at": now,
    }
    if idempotency_keys.add(connection, row) or idempotency_keys.replace_expired(connection, row, now - KEPT_FOR):
        return None
    digest, first = idempotency_keys.find(connection, call.key_id, call.idempotency_key)
    if digest != call.digest:
        raise UsedForAnotherCall
    return first.encode()
