"""The addresses to which files are PUT: signed, so that a forged one costs no look into the store. Pure."""

from typing import NamedTuple

from itsdangerous import BadData, URLSafeSerializer

from messaging_service.clock import SECOND, Milliseconds

VALID_FOR: Milliseconds = 60 * SECOND
"""How long an address can be used (specification 8)."""


class Ticket(NamedTuple):
    """What an address says: the upload's number, the nonce that makes it the latest one, and until when it is valid."""

    upload: int
    nonce: str
    expires_at: Milliseconds


class AddressBook:
    """Writes and reads the last part of upload addresses."""

    def __init__(self, key: bytes) -> None:
        self._serializer = URLSafeSerializer(key, salt="bulk-upload")

    def write(self, ticket: Ticket) -> str:
        """Return the part of an address that stands for a ticket; it needs no escaping."""
        return str(self._serializer.dumps(ticket))

    def read(self, token: str) -> Ticket | None:
        """Return the ticket, None when nobody with the key has written it."""
        try:
            return Ticket(*self._serializer.loads(token))
        except BadData:
            return None
