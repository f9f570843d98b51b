"""The service as it is run: killed at any moment it loses nothing and does nothing twice, and it ends when asked to."""

import os
import re
import signal
from contextlib import closing, contextmanager
from shutil import copy

import httpx
import pytest
from bench import Bench
from service_process import answers, is_alive, refused, serving, wait_until
from sqlalchemy import create_engine, select, text

from interface.calls import IDEMPOTENCY_HEADER
from messaging_service.accounts.money import UNIT
from messaging_service.channels.simulated import log as operator_log
from messaging_service.store.engine import open_store

pytestmark = pytest.mark.timeout(180)
MARK = "a-marked-text"
NUMBERS = [f"42060112{number:04}" for number in range(2000)]
CREDIT = 5000
SOON = 5.0


def send_all(client, numbers=NUMBERS):
    """Send 100 recipients a call. Returns the ids."""
    ids = []
    for first in range(0, len(numbers), 100):
        calls = [
            {"to": [{"phone_number": number} for number in numbers[start : start + 10]], "body": MARK}
            for start in range(first, first + 100, 10)
        ]
        answer = client.post("/v2/messages", json=calls, headers={IDEMPOTENCY_HEADER: f"from-{numbers[first]}"})
        answer.raise_for_status()
        ids += [item["message_id"] for item in answer.json()["accepted"]]
    return ids


class Books:
    """What the stores say about a campaign, read from outside."""

    def __init__(self, database, operator_database):
        self.store = open_store(database)
        self.records = open_store(operator_database)

    def count(self, states):
        with self.store.reading() as connection:
            question = text("SELECT count(*) FROM messages WHERE state = ANY(:states)")
            if self.store.is_sqlite:
                question = text("SELECT count(*) FROM messages WHERE state IN (SELECT value FROM json_each(:states))")
                states = "[" + ",".join(f'"{state}"' for state in states) + "]"
            return connection.execute(question, {"states": states}).scalar()

    def moving(self):
        return self.count(["accepted", "sending", "sent"])

    def moved(self):
        return self.count(["sent", "delivered"])

    def assert_exactly_once(self, numbers, credit):
        bench = object.__new__(Bench)
        bench.store, bench.records = self.store, self.records
        with self.records.reading() as connection:
            taken = list(connection.execute(select(operator_log.taken.c.phone_number)).scalars())
        with self.store.reading() as connection:
            balance = connection.execute(text("SELECT sum(balance) FROM wallets")).scalar()
            charged = connection.execute(text("SELECT sum(charged) FROM messages")).scalar()
        assert sorted(taken) == sorted(numbers)
        assert int(balance) == credit * UNIT - int(charged)
        assert bench.statistics() == bench.recount()
        assert bench.networks() == bench.recount_networks()

    def close(self):
        self.store.close()
        self.records.close()


def test_a_campaign_survives_the_death_of_its_worker_and_of_the_whole_service(tmp_path):
    database = f"sqlite:///{tmp_path}/dovecote.db"
    settings = {"database": database, "credit": str(CREDIT), "log_level": "debug", "identical_limit": "0"}
    with serving(tmp_path / "first.log", **settings, log_format="json") as service:
        key = re.search(r"[0-9a-f]{64}", "".join(service.printed))[0]
        with closing(Books(database, f"sqlite:///{tmp_path}/operator.db")) as books, service.client(key) as client:
            worker = wait_until(service.worker)
            first_ids = send_all(client, NUMBERS[:1000])
            wait_until(books.moved)
            os.kill(worker, signal.SIGKILL)
            first_ids += send_all(client, NUMBERS[1000:])
            wait_until(lambda: books.moved() > 1000)
            restarted = service.worker()
            family = service.family()
            service.stop(signal.SIGKILL)

    assert restarted not in {None, worker}
    wait_until(lambda: not any(is_alive(pid) for pid in family))

    with serving(tmp_path / "second.log", **settings, log_format="human") as service:
        with closing(Books(database, f"sqlite:///{tmp_path}/operator.db")) as books:
            _end_leases(books)
            with service.client(key) as client:
                repeated = send_all(client)
            wait_until(lambda: not books.moving())
            books.assert_exactly_once(NUMBERS, CREDIT)
        family = service.family()
        seconds = service.stop(signal.SIGTERM)

    assert repeated == first_ids
    assert key not in "".join(service.printed)
    assert service.process.returncode == 0
    assert seconds < 10
    wait_until(lambda: not any(is_alive(pid) for pid in family), SOON)
    logged = (tmp_path / "first.log").read_text() + (tmp_path / "second.log").read_text()
    assert_tells_nothing(logged, key)


def assert_tells_nothing(logged, key):
    assert MARK not in logged
    assert key not in logged
    assert not re.search(r"4206011\d{5}", logged)


def test_two_workers_share_a_campaign_and_one_takes_over_from_the_other(postgresql_url, tmp_path):
    settings = {"database": postgresql_url, "credit": str(CREDIT), "api_key": "the-key-of-the-campaign"}
    with (
        serving(tmp_path / "api.log", "--role", "api", **settings) as api,
        serving(tmp_path / "one.log", "--role", "worker", **settings) as one,
        serving(tmp_path / "two.log", "--role", "worker", **settings) as two,
        closing(Books(postgresql_url, postgresql_url)) as books,
        api.client("the-key-of-the-campaign") as client,
    ):
        send_all(client)
        wait_until(books.moved)
        one.stop(signal.SIGKILL)
        wait_until(lambda: not books.count(["accepted"]))
        _end_leases(books)
        wait_until(lambda: not books.moving())
        books.assert_exactly_once(NUMBERS, CREDIT)

        seconds = [two.stop(signal.SIGINT), api.stop(signal.SIGINT)]

    assert max(seconds) < 10
    logged = "".join((tmp_path / f"{name}.log").read_text() for name in ("api", "one", "two"))
    assert_tells_nothing(logged, "the-key-of-the-campaign")


def test_calls_are_answered_while_a_process_that_answers_them_is_started_again(tmp_path):
    with serving(tmp_path / "log", database=f"sqlite:///{tmp_path}/dovecote.db", api_key="the-key") as service:
        wait_until(service.worker)
        before = service.answering()
        killed = min(before)

        os.kill(killed, signal.SIGKILL)
        wait_until(lambda: not is_alive(killed))
        answered = [answers(service.url) for _ in range(50)]
        wait_until(lambda: len(service.answering() - {killed}) == len(before))

    assert answered == [True] * 50


def test_what_cannot_start_says_why_in_one_sentence(tmp_path):
    database = f"sqlite:///{tmp_path}/dovecote.db"
    with serving(tmp_path / "log", database=database, api_key="the-key") as service:
        port = service.url.rpartition(":")[2]
        second_worker = refused("--port", "0", database=database)
        port_in_use = refused("--port", port, database=f"sqlite:///{tmp_path}/other/dovecote.db")
        wrong_setting = refused("--port", "0", database=database, log_level="loud")
        wrong_amount = refused("--port", "0", database=database, credit="much")
        in_memory = refused("--port", "0", database="sqlite://")
        still_answers = answers(service.url)
        family = service.family()
        seconds = service.stop(signal.SIGINT)

    (tmp_path / "foreign").mkdir()
    copy(tmp_path / "dovecote-accepted.db", tmp_path / "foreign")
    foreign_journal = refused("--port", "0", database=f"sqlite:///{tmp_path}/foreign/dovecote.db")
    with create_engine(database).begin() as connection:
        connection.execute(text("UPDATE schema_version SET version_num = 'from-the-future'"))
    newer_schema = refused("--port", "0", database=database)

    assert_one_sentence(second_worker, "Another process works on")
    assert_one_sentence(port_in_use, f"Can't listen on 127.0.0.1:{port}")
    assert_one_sentence(wrong_setting, "DOVECOTE_LOG_LEVEL")
    assert_one_sentence(wrong_amount, "DOVECOTE_CREDIT")
    assert_one_sentence(in_memory, "DOVECOTE_DATABASE")
    assert_one_sentence(newer_schema, "newer")
    assert_one_sentence(foreign_journal, "belongs to another store")
    assert still_answers
    assert seconds < 10
    wait_until(lambda: not any(is_alive(pid) for pid in family), SOON)


def assert_one_sentence(outcome, named):
    code, said = outcome
    assert code == 1, said
    assert named in said
    assert "Traceback" not in said
    assert len(said.splitlines()) == 1


def test_a_service_that_is_asked_to_end_while_it_starts_leaves_nothing_behind(tmp_path):
    with serving(tmp_path / "log", database=f"sqlite:///{tmp_path}/dovecote.db", api_key="the-key") as service:
        family = service.family()
        service.stop(signal.SIGTERM)

        wait_until(lambda: not any(is_alive(pid) for pid in family), SOON)
        with pytest.raises(httpx.TransportError):
            httpx.get(f"{service.url}/healthz")


def _end_leases(books):
    """Let the time pass for which a dead worker's messages and receipts are kept for it."""
    with _alone_with(books.store, "messages") as connection:
        connection.execute(text("UPDATE messages SET due_at = 1 WHERE in_doubt AND state = 'sending'"))
    with _alone_with(books.records, "operator_receipts") as connection:
        connection.execute(text("UPDATE operator_receipts SET due_at = 1"))


@contextmanager
def _alone_with(store, table):
    """Write to a table that a living worker writes to, without a deadlock of the two."""
    with store.writing() as connection:
        if not store.is_sqlite:
            connection.execute(text(f"LOCK TABLE {table} IN EXCLUSIVE MODE"))
        yield connection
