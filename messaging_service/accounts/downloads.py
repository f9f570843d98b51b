"""Downloads of the lists: an address for a minute, and the file as it is read."""

from collections.abc import Sequence
from typing import NamedTuple

from itsdangerous import BadData, URLSafeSerializer
from sqlalchemy import RowMapping

from messaging_service.accounts.keys import Key
from messaging_service.clock import SECOND, Clock, Milliseconds, iso
from messaging_service.store import keys, suppressions
from messaging_service.store.engine import Store
from messaging_service.store.suppressions import Listed

VALID_FOR: Milliseconds = 60 * SECOND
"""How long an address can be used (details, "lists")."""
_ROWS = 2000


class Ticket(NamedTuple):
    """What an address says: which list, for which key, and until when it is valid."""

    account_id: int
    name: str
    subid: str
    key_id: int
    expires_at: Milliseconds


class Part(NamedTuple):
    """A part of a file, and the number after which the next one begins, None after the last."""

    text: str
    after: str | None


class Downloads:
    """Gives addresses and reads files. Works on the store: not in the event loop."""

    def __init__(self, store: Store, clock: Clock, signing_key: bytes) -> None:
        self._store = store
        self._clock = clock
        self._serializer = URLSafeSerializer(signing_key, salt="list-download")

    def open(self, key: Key, listed: Listed) -> str | None:
        """Return the last part of an address, None when the list is empty."""
        with self._store.reading() as connection:
            if not suppressions.page(connection, listed, "", 1):
                return None
        return str(self._serializer.dumps(Ticket(*listed, key.id, self._clock.now() + VALID_FOR)))

    def ticket(self, token: str) -> Ticket | None:
        """Return what an address stands for, None for one that is forged, has expired, or whose key was blocked."""
        try:
            ticket = Ticket(*self._serializer.loads(token))
        except BadData:
            return None
        if self._clock.now() >= ticket.expires_at:
            return None
        with self._store.reading() as connection:
            return None if keys.numbered(connection, ticket.key_id)["is_blocked"] else ticket

    def part(self, ticket: Ticket, after: str | None) -> Part:
        """Return the file's next part: that after a number, or the first one, which begins with the header."""
        with self._store.reading() as connection:
            rows = suppressions.page(connection, Listed(*ticket[:3]), after or "", _ROWS)
        head = "phone_number,ts_created\r\n" if after is None else ""
        return Part(head + _lines(rows), rows[-1]["phone_number"] if len(rows) == _ROWS else None)


def _lines(rows: Sequence[RowMapping]) -> str:
    return "".join(f"{row['phone_number']},{iso(row['created_at'])}\r\n" for row in rows)
