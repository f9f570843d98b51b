"""What callers do with uploads: ask for an address, send the file to it, look how far it is."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import RowMapping

from interface.bulk import BulkState, BulkUpload
from messaging_service.accounts.keys import Key
from messaging_service.bulk.addresses import VALID_FOR, AddressBook, Ticket
from messaging_service.clock import Clock, Milliseconds
from messaging_service.identifiers import new_id
from messaging_service.refusals import Conflict
from messaging_service.schedule import due_at
from messaging_service.store import bulk
from messaging_service.store.engine import Store


@dataclass(frozen=True, slots=True)
class Received:
    """A file that is on disk: its name in the folder, its size in bytes."""

    name: str
    size: int


class Uploads:
    """Keeps the books of uploads."""

    def __init__(self, store: Store, clock: Clock, addresses: AddressBook) -> None:
        self._store = store
        self._clock = clock
        self._addresses = addresses

    def open(self, key: Key, wanted: BulkUpload) -> str:
        """Begin an upload and return the token of its address.

        Raises Conflict when the key has another upload of the name, unless that one's address ended without a file.
        """
        now = self._clock.now()
        due = due_at(wanted.datetime, None, now)
        ticket_nonce, expires_at = secrets.token_urlsafe(16), now + VALID_FOR
        row = {
            "key_id": key.id,
            "bulk_id": wanted.bulk_id,
            "request_id": new_id(),
            "filetype": wanted.filetype,
            "state": BulkState.WAITING_FOR_FILE,
            "nonce": ticket_nonce,
            "expires_at": expires_at,
            "scheduled_for": due if due > now else None,
            "created_at": now,
        }
        with self._store.writing() as connection:
            upload_id = bulk.add(connection, row, now)
        if upload_id is None:
            raise Conflict("This bulk_id was used for another upload; use a new one.")
        return self._addresses.write(Ticket(upload_id, ticket_nonce, expires_at))

    def ticket(self, token: str) -> Ticket | None:
        """Return what an address stands for, None for a forged one or one that has expired."""
        ticket = self._addresses.read(token)
        return ticket if ticket is not None and self._clock.now() < ticket.expires_at else None

    def waiting(self, ticket: Ticket) -> RowMapping | None:
        """Return the upload that waits for a file at an address, None when it doesn't or no longer."""
        with self._store.reading() as connection:
            return bulk.waiting(connection, ticket.upload, ticket.nonce)

    def receive(self, ticket: Ticket, upload: RowMapping, received: Received) -> bool:
        """Record a file that is on disk. Returns whether its upload still waited for one."""
        now = self._clock.now()
        with self._store.writing() as connection:
            return bulk.receive(connection, ticket.upload, ticket.nonce, _received(upload, received, now))

    def find(self, key: Key, bulk_id: str) -> RowMapping | None:
        """Return the upload that a key calls ``bulk_id``."""
        with self._store.reading() as connection:
            return bulk.of_key(connection, key.id, bulk_id)


def _received(upload: RowMapping, received: Received, now: Milliseconds) -> Mapping[str, Any]:
    scheduled_for: Milliseconds = upload["scheduled_for"] or now
    return {
        "state": BulkState.SCHEDULED if scheduled_for > now else BulkState.PROCESSING,
        "file": received.name,
        "size": received.size,
        "due_at": max(now, scheduled_for),
        "received_at": now,
    }
