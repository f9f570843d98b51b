"""Accepts the next lines of a file: its messages and the place up to which it is read go to disk together."""

from dataclasses import dataclass, replace
from typing import Any, Final

import orjson

from interface.bulk import BulkState
from messaging_service.accept.planning import Caller
from messaging_service.accounts.keys import Key, read_key
from messaging_service.bulk.folder import Folder
from messaging_service.bulk.lines import Line, Place, read_batch
from messaging_service.bulk.planning import BadLine, BatchPlan, plan_lines
from messaging_service.clock import SECOND, Clock, Milliseconds
from messaging_service.notify import outbox
from messaging_service.running import measures
from messaging_service.store import bulk, keys, messages
from messaging_service.store.bulk import Upload
from messaging_service.store.engine import Store

LEASE: Milliseconds = 10 * SECOND
"""How long a worker has for a batch before another takes it for dead. Of two at one place only the first writes."""
ERRORS_KEPT: Final = 20
"""Rejected lines that the status of an upload names."""


class ReadElsewhere(Exception):  # noqa: N818
    """Another worker has read on from where this one stood, which did nothing."""


@dataclass(frozen=True, slots=True)
class Step:
    """An upload after a batch; ``is_done``: it was the last."""

    upload: Upload
    is_done: bool


class Reader:
    """Reads uploads batch by batch. Its methods run in a thread."""

    def __init__(self, store: Store, clock: Clock, folder: Folder) -> None:
        self._store = store
        self._clock = clock
        self._folder = folder

    def key_of(self, upload: Upload) -> Key:
        """Return whose upload it is, with the settings that hold now."""
        with self._store.reading() as connection:
            return read_key(keys.numbered(connection, upload.key_id))

    def read_on(self, upload: Upload, key: Key, *, keep_claim: bool) -> Step:
        """Accept the next batch of lines in one transaction. Raises FileNotFoundError, ReadElsewhere.

        With ``keep_claim`` the upload stays this worker's; else any may go on.
        """
        with self._folder.open(upload.file) as file:
            lines = read_batch(file, Place(upload.position, upload.lines))
        now = self._clock.now()
        batch = plan_lines(Caller(key, now), upload.request_id, lines)
        after = _after(upload, lines, batch)
        is_done = after.position >= upload.size or not lines
        values = _ending(now) if is_done else {"due_at": now + LEASE if keep_claim else now}
        with self._store.writing() as connection:
            if not bulk.advance(connection, upload, _progress(after) | values):
                raise ReadElsewhere
            if batch.plan.contents:
                messages.add(connection, batch.plan.contents, batch.plan.addressees)
            outbox.write(connection, [line.move for line in batch.bad], now)
        measures.committed(1, len(batch.plan.contents))
        if is_done:
            self._folder.remove(upload.file)
        return Step(after, is_done)


def _after(upload: Upload, lines: list[Line], batch: BatchPlan) -> Upload:
    if not lines:
        return upload
    return replace(
        upload,
        position=lines[-1].end,
        lines=lines[-1].number,
        accepted=upload.accepted + len(batch.plan.contents),
        rejected=upload.rejected + len(batch.bad),
        errors=_errors(upload, batch.bad),
    )


def _errors(upload: Upload, bad: list[BadLine]) -> str:
    room = max(0, ERRORS_KEPT - upload.rejected)
    if not room or not bad:
        return upload.errors
    first = [{"line": line.number, "message": line.message} for line in bad[:room]]
    return orjson.dumps(orjson.loads(upload.errors) + first).decode()


def _progress(upload: Upload) -> dict[str, Any]:
    return {name: getattr(upload, name) for name in ("position", "lines", "accepted", "rejected", "errors")}


def _ending(now: Milliseconds) -> dict[str, Any]:
    return {"state": BulkState.DONE, "due_at": None, "finished_at": now}
