"""Keys: who calls, what the call may do, and which settings hold for its messages."""

import hashlib
import secrets
from dataclasses import dataclass

from sqlalchemy import RowMapping

from interface.account import Scope
from messaging_service.clock import SECOND, Clock, Milliseconds
from messaging_service.store import keys as key_queries
from messaging_service.store.engine import Store

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

    @property
    def may_change_settings(self) -> bool:
        """Whether ``/apikey/update``, the lists and their like are open to the key (specification 5)."""
        return self.scope is not Scope.API


class KeyRing:
    """Finds the key behind a caller's header. A change elsewhere (blocking, settings) is seen within two seconds."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._known: dict[str, tuple[Milliseconds, Key | None]] = {}

    def find(self, secret: str) -> Key | None:
        """Return the key, or None when it is unknown or blocked."""
        found = self._known.get(secret)
        if found is None or found[0] <= self._clock.now():
            found = self._remember(secret)
        key = found[1]
        return None if key is None or key.is_blocked else key

    def forget(self) -> None:
        """Read every key anew, after this process changed one."""
        self._known.clear()

    def _remember(self, secret: str) -> tuple[Milliseconds, Key | None]:
        with self._store.reading() as connection:
            row = key_queries.find(connection, digest(secret))
        key = None if row is None else read_key(row)
        if len(self._known) >= _CACHE_SIZE:
            self._known.clear()
        entry = (self._clock.now() + CACHE_FOR, key)
        self._known[secret] = entry
        return entry


def read_key(row: RowMapping) -> Key:
    """Return a key as ``store.keys`` finds it."""
    return Key(**{**row, "scope": Scope(row["scope"])})


def new_secret() -> str:
    """Return a new key for a caller: 256 random bits, hexadecimal."""
    return secrets.token_hex(32)


def digest(secret: str) -> str:
    """Return what the store keeps of a key."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def hint(secret: str) -> str:
    """Return the few characters by which a person recognises a key in a list."""
    return f"{secret[:4]}…{secret[-4:]}" if len(secret) >= 16 else "…"  # noqa: PLR2004
