"""A desk at which uploads are read by hand: batch by batch, by workers that may die or come late."""

import asyncio
import threading
from datetime import UTC, datetime, timedelta

import orjson
import pytest
from sqlalchemy import event, select

from interface.bulk import BulkUpload
from messaging_service.bulk import lines as line_module
from messaging_service.bulk.addresses import AddressBook
from messaging_service.bulk.folder import open_folder
from messaging_service.bulk.processor import BulkProcessor
from messaging_service.bulk.reading import LEASE, ReadElsewhere, Reader
from messaging_service.bulk.uploads import Received, Uploads
from messaging_service.store import bulk, keys
from messaging_service.store.tables import bulk_uploads, callbacks


class DiedError(Exception):
    """What a worker dies of here."""


class Desk:
    def __init__(self, bench, folder, **key_settings):
        self._bench = bench
        self._path = folder / "uploads"
        self.folder = open_folder(self._path)
        self._uploads = Uploads(bench.store, bench.clock, AddressBook(b"k" * 32))
        self._reader = Reader(bench.store, bench.clock, self.folder)
        with bench.store.writing() as connection:
            if key_settings:
                keys.change(connection, bench.key.id, key_settings)

    def receive(self, content, hours_ahead=None):
        """Take a file as its address does. Returns its upload, as a worker claims it."""
        now = datetime.fromtimestamp(self._bench.clock.now() / 1000, UTC)
        when = None if hours_ahead is None else now + timedelta(hours=hours_ahead)
        name = f"bulk-{self._bench.count(bulk_uploads)}"
        ticket = self._uploads.ticket(
            self._uploads.open(self._bench.key, BulkUpload(bulk_id=name, filetype="jsonl", datetime=when)),
        )
        (self._path / name).write_bytes(content)
        assert self._uploads.receive(ticket, self._uploads.waiting(ticket), Received(name, len(content)))
        with self._bench.store.reading() as connection:
            names = bulk.Upload.__dataclass_fields__
            question = select(*(bulk_uploads.c[name] for name in names)).where(bulk_uploads.c.id == ticket.upload)
            return bulk.Upload(*connection.execute(question).one())

    def claim(self):
        now = self._bench.clock.now()
        with self._bench.store.writing() as connection:
            return bulk.claim(connection, now, now + LEASE)

    def read_on(self, upload, lines=1000, *, keep_claim=True):
        """Read the next batch, of so many lines."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(line_module, "LINES_A_BATCH", lines)
            return self._reader.read_on(upload, self._reader.key_of(upload), keep_claim=keep_claim)

    def turn(self, lines=1000):
        """Have a processor read the next file to its end."""
        processor = BulkProcessor(self._bench.store, self._bench.clock, self.folder, lambda: None)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(line_module, "LINES_A_BATCH", lines)
            asyncio.run(processor.turn())

    def die_at(self, table, upload):
        """Read on with a worker that dies when it has written to a table and not yet committed."""

        def die(_connection, _cursor, statement, *_more):
            if statement.lstrip().upper().startswith(f"INSERT INTO {table.upper()}"):
                raise DiedError

        event.listen(self._bench.store.engine, "after_cursor_execute", die)
        try:
            self.read_on(upload)
        finally:
            event.remove(self._bench.store.engine, "after_cursor_execute", die)

    def read_from_two_threads(self, upload, lines):
        def work():
            mine = upload
            while True:
                try:
                    step = self._reader.read_on(mine, key, keep_claim=True)
                except (ReadElsewhere, FileNotFoundError):
                    if self.row(upload)["state"] == "done":
                        return
                    mine = self.current(upload)
                    continue
                mine = step.upload
                if step.is_done:
                    return

        key = self._reader.key_of(upload)
        self.claim()
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(line_module, "LINES_A_BATCH", lines)
            threads = [threading.Thread(target=work) for _ in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

    def current(self, upload):
        row = self.row(upload)
        return bulk.Upload(*(row[name] for name in bulk.Upload.__dataclass_fields__))

    def row(self, upload):
        with self._bench.store.reading() as connection:
            question = select(bulk_uploads).where(bulk_uploads.c.id == upload.id)
            return connection.execute(question).mappings().one()

    def errors(self, upload):
        return orjson.loads(self.row(upload)["errors"])

    def lose(self, upload):
        (self._path / upload.file).unlink()

    def files(self):
        return sorted(path.name for path in self._path.iterdir())

    def receivers(self):
        with self._bench.store.reading() as connection:
            return list(connection.execute(select(callbacks.c.url)).scalars())
