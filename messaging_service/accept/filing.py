"""Files accepted calls: gives each message of the journal its row, once, before anything else can be done with it."""

from collections.abc import Sequence

import orjson

from messaging_service.store import journal, messages
from messaging_service.store.engine import Store
from messaging_service.store.journal import Entry

CALLS_A_TRANSACTION = 500


class Filer:
    """Moves calls from the journal into the store. Whoever needs the rows may file: the worker, or a call that reads.

    Where both are one database a call moves by one transaction. Where the journal is a file of its own, the store
    remembers how far it is filed, in the transaction that writes the rows; the journal forgets after that.
    """

    def __init__(self, store: Store, journal_store: Store) -> None:
        self._store = store
        self._journal = journal_store

    def file(self, limit: int = CALLS_A_TRANSACTION) -> int:
        """File the next calls, the better queue first. Returns how many."""
        return self._file_from_table(limit) if self._journal is self._store else self._file_from_file(limit)

    def catch_up(self) -> None:
        """File everything that was accepted before now, or wait while another process files it."""
        while self.file() == CALLS_A_TRANSACTION:
            pass
        if self._journal is self._store:
            self._wait_for_others()

    def _wait_for_others(self) -> None:
        """Let others end that are filing calls at the moment; file what one of them gave back."""
        with self._store.reading() as connection:
            last = journal.last(connection)
        while last is not None and self._still_there(last):
            self.file()

    def _still_there(self, last: int) -> bool:
        with self._store.writing() as connection:
            return journal.outlast_others(connection, last)

    def _file_from_table(self, limit: int) -> int:
        with self._store.writing() as connection:
            entries = journal.take(connection, limit)
            if entries:
                messages.add(connection, *_rows(entries))
        return len(entries)

    def _file_from_file(self, limit: int) -> int:
        if not self._behind(1):
            return 0
        with self._store.writing() as connection:
            entries = self._behind(limit)
            reached = {entry.queue: entry.id for entry in entries}
            if entries:
                messages.add(connection, *_rows(entries))
                journal.advance(connection, reached)
        with self._journal.writing() as connection:
            journal.forget(connection, reached)
        return len(entries)

    def _behind(self, limit: int) -> list[Entry]:
        with self._store.reading() as filed, self._journal.reading() as accepted:
            return journal.after(accepted, journal.positions(filed), limit)


def _rows(entries: Sequence[Entry]) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    plans = [orjson.loads(entry.plan) for entry in entries]
    return (
        [row for plan in plans for row in plan["contents"]],
        [row for plan in plans for row in plan["addressees"]],
    )
