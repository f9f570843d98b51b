"""Keys: who calls, what the call may do, and which settings hold for its messages."""

import asyncio
import hashlib
import secrets
from dataclasses import dataclass

from sqlalchemy import RowMapping

from interface.account import Scope
from messaging_service.clock import SECOND, Clock, Milliseconds
from messaging_service.store import keys as key_queries
from messaging_service.store.engine import Store
from messaging_service.store.key_changes import KeyChanges

CACHE_FOR: Milliseconds = 2 * SECOND
_CACHE_SIZE = 10_000


@dataclass(frozen=True, slots=True)
class Key:
    """A key with what its calls need to know of its account."""

    id: int
    account_id: int
    account: str
    wallet_id: int
    parent_id: int | None
    subid: str
    scope: Scope
    note: str
    default_sender: str
    default_callback_url: str
    is_blocked: bool
    currency: str
    calling_code: str
    time_zone: str
    is_separate: bool  # a sub-key with a wallet of its own: another customer, as far as the account's lists go

    @property
    def may_change_settings(self) -> bool:
        """Whether ``/apikey/update``, the lists and their like are open to the key (specification 5)."""
        return self.scope is not Scope.API


@dataclass(frozen=True, slots=True)
class _Remembered:
    key: Key | None
    until: Milliseconds
    changes: bytes | int  # what had been announced before the key was read


class KeyRing:
    """Finds the key behind a caller's header, remembering it for a moment.

    Every process forgets a key that was blocked or changed as soon as that is announced; two seconds are for the case
    that nobody hears the announcement. It remembers digests: what callers send as a key may be as long as a request.
    """

    def __init__(self, store: Store, clock: Clock, changes: KeyChanges) -> None:
        self._store = store
        self._clock = clock
        self._changes = changes
        self._known: dict[str, _Remembered] = {}
        self._reads: dict[str, asyncio.Task[_Remembered]] = {}

    async def find(self, secret: str) -> Key | None:
        """Return the key, or None when it is unknown or blocked."""
        name = digest(secret)
        found = self._known.get(name)
        if found is None or not self._holds(found):
            found = await self._read_together(name)
            if found.changes != self._changes.latest():  # it may have changed while others were reading it
                found = await self._read(name)
        key = found.key
        return None if key is None or key.is_blocked else key

    def _holds(self, remembered: _Remembered) -> bool:
        return remembered.changes == self._changes.latest() and self._clock.now() < remembered.until

    async def _read_together(self, name: str) -> _Remembered:
        """Read a key once, however many calls wait for it."""
        task = self._reads.get(name)
        if task is None:
            task = self._reads[name] = asyncio.create_task(self._read(name))
            task.add_done_callback(lambda _: self._reads.pop(name))
        return await asyncio.shield(task)

    async def _read(self, name: str) -> _Remembered:
        changes, now = self._changes.latest(), self._clock.now()
        key = await asyncio.to_thread(look_up, self._store, name)
        if len(self._known) >= _CACHE_SIZE:
            self._known.clear()
        remembered = self._known[name] = _Remembered(key, now + CACHE_FOR, changes)
        return remembered


def look_up(store: Store, name: str) -> Key | None:
    """Return the key with this digest as the store has it, blocked or not. Not in the event loop."""
    with store.reading() as connection:
        row = key_queries.find(connection, name)
    return None if row is None else read_key(row)


def read_key(row: RowMapping) -> Key:
    """Return a key as ``store.keys`` finds it."""
    return Key(**{**row, "scope": Scope(row["scope"]), "is_separate": bool(row["is_separate"])})


def new_secret() -> str:
    """Return a new key for a caller: 256 random bits, hexadecimal."""
    return secrets.token_hex(32)


def digest(secret: str) -> str:
    """Return what the store keeps of a key."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def hint(secret: str) -> str:
    """Return the few characters by which a person recognises a key in a list."""
    return f"{secret[:4]}…{secret[-4:]}" if len(secret) >= 16 else "…"  # noqa: PLR2004
