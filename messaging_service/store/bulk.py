"""Queries about bulk uploads: give an address, record the file, claim it, write how far it has been read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, RowMapping, and_, func, or_, select, update

from interface.bulk import BulkState
from messaging_service.clock import Milliseconds
from messaging_service.store.tables import bulk_uploads as table
from messaging_service.store.upsert import upsert

_WAITS = table.c.state == BulkState.WAITING_FOR_FILE
_IS_SCHEDULED = or_(
    table.c.state == BulkState.SCHEDULED,
    and_(_WAITS, table.c.scheduled_for.is_not(None)),
)
_NEEDS_ITS_FILE = table.c.state.in_([BulkState.SCHEDULED, BulkState.PROCESSING])


@dataclass(frozen=True, slots=True)
class Upload:
    """A received file with how far it has been read."""

    id: int
    key_id: int
    request_id: str
    file: str
    size: int
    received_at: Milliseconds
    position: int
    lines: int
    accepted: int
    rejected: int
    errors: str  # JSON


_UPLOAD = [table.c[name] for name in Upload.__dataclass_fields__]
_NEXT_DUE = select(func.min(table.c.due_at)).where(table.c.due_at.is_not(None))


def add(connection: Connection, row: Mapping[str, Any], now: Milliseconds) -> int | None:
    """Write an upload that waits for its file, over one whose address ended without a file. Returns its number.

    None: the key has another upload of this ``bulk_id``.
    """
    statement = upsert(connection, table).values(row)
    fresh = {name: statement.excluded[name] for name in row if name not in {"key_id", "bulk_id"}}
    unused = and_(_WAITS, table.c.expires_at <= now)
    written = statement.on_conflict_do_update(index_elements=["key_id", "bulk_id"], set_=fresh, where=unused)
    return connection.execute(written.returning(table.c.id)).scalar()


def waiting(connection: Connection, upload_id: int, nonce: str) -> RowMapping | None:
    """Return the upload that waits for a file at this address, None when it doesn't or no longer."""
    question = select(table).where(table.c.id == upload_id, table.c.nonce == nonce, _WAITS)
    return connection.execute(question).mappings().one_or_none()


def receive(connection: Connection, upload_id: int, nonce: str, values: Mapping[str, Any]) -> bool:
    """Write that the file is on disk. Returns whether the upload still waited for it: an address is used once."""
    mine = update(table).where(table.c.id == upload_id, table.c.nonce == nonce, _WAITS)
    return connection.execute(mine.values(values)).rowcount == 1


def of_key(connection: Connection, key_id: int, bulk_id: str) -> RowMapping | None:
    """Return the upload that a key calls ``bulk_id``."""
    question = select(table).where(table.c.key_id == key_id, table.c.bulk_id == bulk_id)
    return connection.execute(question).mappings().one_or_none()


def cancel(connection: Connection, key_id: int, bulk_id: str, now: Milliseconds) -> bool:
    """Cancel an upload that is still scheduled. Returns whether it was."""
    mine = update(table).where(table.c.key_id == key_id, table.c.bulk_id == bulk_id, _IS_SCHEDULED)
    values = {"state": BulkState.CANCELLED, "due_at": None, "finished_at": now}
    return connection.execute(mine.values(values)).rowcount == 1


def claim(connection: Connection, now: Milliseconds, until: Milliseconds) -> Upload | None:
    """Return the file that has waited longest for a worker, kept from other workers until a moment."""
    question = select(*_UPLOAD).where(table.c.due_at <= now).order_by(table.c.due_at).limit(1)
    row = connection.execute(question.with_for_update(skip_locked=True)).one_or_none()
    if row is None:
        return None
    upload = Upload(*row)
    mine = update(table).where(table.c.id == upload.id)
    connection.execute(mine.values(due_at=until, state=BulkState.PROCESSING))
    return upload


def advance(connection: Connection, upload: Upload, values: Mapping[str, Any]) -> bool:
    """Write how far a file has been read. Returns whether it stood where ``upload`` says: nobody else has read on."""
    mine = update(table).where(
        table.c.id == upload.id,
        table.c.position == upload.position,
        table.c.state == BulkState.PROCESSING,
    )
    return connection.execute(mine.values(values)).rowcount == 1


def release(connection: Connection, now: Milliseconds) -> int:
    """Make what a dead worker was reading due at once. Only for a store that has one worker. Returns how many."""
    held = update(table).where(table.c.state == BulkState.PROCESSING, table.c.due_at > now)
    return connection.execute(held.values(due_at=now)).rowcount


def next_due(connection: Connection) -> Milliseconds | None:
    """Return the earliest moment at which a file needs a worker."""
    return connection.execute(_NEXT_DUE).scalar()


def needed(connection: Connection) -> list[str]:
    """Return the names of the files that still have lines to read."""
    return list(connection.execute(select(table.c.file).where(_NEEDS_ITS_FILE)).scalars())
