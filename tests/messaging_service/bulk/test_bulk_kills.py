"""A worker killed while it reads a file: each line reaches the operator exactly once, and is paid for once.

``python tests/messaging_service/bulk/test_bulk_kills.py`` does it with 100,000 lines and 20 kills.
"""

import json
import os
import random
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import func, select, text

sys.path.insert(0, str(Path(__file__).parents[1] / "crashes"))
from service_process import is_alive, serving, wait_until

from interface.client import Addresses, MessagingClient
from messaging_service.accounts.money import UNIT
from messaging_service.channels.simulated import log as operator_log
from messaging_service.store.engine import open_store
from messaging_service.store.tables import bulk_uploads, messages

KEY = "the-key-of-the-killed-uploads"
CREDIT = 1_000_000
REFUSED = 9002
"""The operator refuses numbers that end so."""
EVERY = 100
"""One line in so many is no message."""


def number(line):
    return f"420{601_000_000 + line}"


def write_file(path, lines):
    """Write a file of so many lines, each to a number of its own. Returns the numbers of those that are messages."""
    good = [line for line in range(1, lines + 1) if line % EVERY]
    with path.open("w") as file:
        for line in range(1, lines + 1):
            document = {"to": [{"phone_number": number(line)}], "body": f"Hello {line}"} if line % EVERY else {}
            file.write(json.dumps(document) + "\n")
    return good


class Books:
    """What the stores say, read from outside."""

    def __init__(self, database, operator_database):
        self.store = open_store(database)
        self.records = open_store(operator_database)

    def lines(self):
        return self._of_upload(bulk_uploads.c.lines)

    def is_read(self):
        return self._of_upload(bulk_uploads.c.state) == "done"

    def still_moving(self):
        with self.store.reading() as connection:
            states = messages.c.state.in_(["accepted", "sending"])
            return connection.execute(select(func.count()).where(states)).scalar()

    def taken(self):
        with self.records.reading() as connection:
            return Counter(connection.execute(select(operator_log.taken.c.phone_number)).scalars())

    def paid(self):
        with self.store.reading() as connection:
            balance = connection.execute(text("SELECT sum(balance) FROM wallets")).scalar()
            charged = connection.execute(text("SELECT sum(charged) FROM messages")).scalar()
            return int(balance), int(charged)

    def end_leases(self):
        """Let the time pass that another worker waits before it goes on."""
        with self.store.writing() as connection:
            connection.execute(messages.update().where(messages.c.in_doubt).values(due_at=0))
            connection.execute(bulk_uploads.update().where(bulk_uploads.c.due_at.is_not(None)).values(due_at=0))

    def _of_upload(self, column):
        with self.store.reading() as connection:
            return connection.execute(select(column)).scalar()

    def close(self):
        self.store.close()
        self.records.close()


def kill_at(service, books, lines):
    """Kill the worker once it has read so many lines. Returns how many it had read, None when it was done before."""
    wait_until(lambda: books.lines() >= lines or books.is_read())
    if books.is_read():
        return None
    worker = wait_until(service.worker)
    os.kill(worker, signal.SIGKILL)
    if not books.store.is_sqlite:
        wait_until(lambda: not is_alive(worker))
        books.end_leases()
    return books.lines()


def upload_and_kill(database, folder, lines, kills):
    """Upload a file to a service whose worker is killed at each of ``kills``. Returns what is left to compare."""
    good = write_file(folder / "file.jsonl", lines)
    operator_database = f"sqlite:///{folder}/operator.db"
    settings = {"database": database, "operator_database": operator_database, "credit": str(CREDIT), "api_key": KEY}
    settings |= {"bulk_folder": str(folder / "uploads"), "identical_limit": "0", "log_level": "info"}
    with (
        serving(folder / "service.log", **settings) as service,
        MessagingClient(KEY, Addresses.of(service.url)) as client,
        closing(Books(database, operator_database)) as books,
    ):
        wait_until(service.worker)
        client.upload_bulk("killed", folder / "file.jsonl")
        killed = [kill_at(service, books, at) for at in kills]
        wait_until(books.is_read)
        ends = time.monotonic() + 300
        while books.still_moving() and time.monotonic() < ends:
            time.sleep(0.1)
        status = client.bulk_status("killed")
        return good, status, [each for each in killed if each is not None], books.taken(), books.paid()


def assert_each_line_once(good, status, taken, paid):
    assert (status.accepted, status.rejected) == (len(good), status.lines - len(good))
    assert taken == Counter(number(line) for line in good if line % 10_000 != REFUSED)
    assert paid[0] == CREDIT * UNIT - paid[1]


@pytest.mark.timeout(120)
@pytest.mark.parametrize(("database", "kills"), [("sqlite", [1000, 2000, 4000]), ("postgresql", [1000])])
def test_each_line_is_sent_once_when_its_worker_is_killed(database, kills, request, tmp_path):
    url = f"sqlite:///{tmp_path}/dovecote.db"
    if database == "postgresql":
        url = request.getfixturevalue("postgresql_url")

    good, status, killed, taken, paid = upload_and_kill(url, tmp_path, 5000, kills)

    assert killed
    assert_each_line_once(good, status, taken, paid)


def main():
    lines, kills = 100_000, 20
    chosen = sorted(random.sample(range(1, lines), kills))
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        good, status, killed, taken, paid = upload_and_kill(
            f"sqlite:///{folder}/dovecote.db", Path(folder), lines, chosen
        )
        assert_each_line_once(good, status, taken, paid)
        seconds = time.monotonic() - began
    print(f"{len(killed)} kills at lines {killed}; {len(good)} messages, each once; {seconds:.0f} s")  # noqa: T201


if __name__ == "__main__":
    main()
