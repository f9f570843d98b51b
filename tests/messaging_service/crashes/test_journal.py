"""The journal of accepted calls: each call is filed once, whatever dies and whichever file is lost."""

from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from interface.message import MessageRequest
from messaging_service.accept.filing import Filer
from messaging_service.accept.planning import Caller, Plan, plan_recipients
from messaging_service.accounts.keys import Key, digest, look_up
from messaging_service.accounts.opening import Opening, open_account
from messaging_service.identifiers import new_id
from messaging_service.store import journal, messages
from messaging_service.store.engine import Store, open_store
from messaging_service.store.journal_file import ForeignJournal, open_journal
from messaging_service.store.migrate import migrate
from messaging_service.store.tables import messages as message_table


@contextmanager
def opened(folder: Path):
    """Open a store in a folder with its journal, as a process does that starts."""
    url = f"sqlite:///{folder}/dovecote.db"
    store = open_store(url)
    migrate(store)
    with closing(store), closing(open_journal(store, url)) as journal_store:
        yield store, journal_store


def open_key(store: Store) -> Key:
    with store.writing() as connection:
        open_account(connection, Opening("An account", "czk", 0, "420", "Dovecote"), "the-key", 0)
    return look_up(store, digest("the-key"))


def accept(journal_store: Store, key: Key, tag: str = "promotional") -> str:
    """Write a call into the journal. Returns its message's id."""
    plan = Plan(new_id())
    request = MessageRequest(to=[{"phone_number": "420777123456"}], body="Hello", tag=tag)
    (message_id,) = plan_recipients(plan, Caller(key, 0), request)
    with journal_store.writing() as connection:
        journal.add(connection, [plan.journal_row()])
    return message_id


def filed(store: Store) -> list[str]:
    with store.reading() as connection:
        found = messages.read(connection, messages.WHOLE.order_by(message_table.c.id))
    return [message.message_id for message in found]


def test_a_call_that_was_accepted_before_a_crash_is_filed_after_it(tmp_path):
    with opened(tmp_path) as (store, journal_store):
        message_id = accept(journal_store, open_key(store))

    with opened(tmp_path) as (store, journal_store):
        Filer(store, journal_store).catch_up()

        assert filed(store) == [message_id]


def test_a_crash_between_filing_and_forgetting_files_nothing_twice(tmp_path, monkeypatch):
    with opened(tmp_path) as (store, journal_store):
        message_id = accept(journal_store, open_key(store))
        with monkeypatch.context() as crashing:
            crashing.setattr(journal, "forget", lambda *_: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                Filer(store, journal_store).file()

    with opened(tmp_path) as (store, journal_store):
        Filer(store, journal_store).catch_up()

        assert filed(store) == [message_id]


def test_calls_after_the_loss_of_the_journal_are_filed(tmp_path):
    with opened(tmp_path) as (store, journal_store):
        key = open_key(store)
        before = [accept(journal_store, key) for _ in range(3)]
        Filer(store, journal_store).catch_up()
    for path in tmp_path.glob("dovecote-accepted.db*"):
        path.unlink()

    with opened(tmp_path) as (store, journal_store):
        after = accept(journal_store, key)
        Filer(store, journal_store).catch_up()

        assert filed(store) == [*before, after]


def test_the_journal_of_another_store_is_refused(tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "other").mkdir()
    with opened(tmp_path / "one"), opened(tmp_path / "other"):
        pass
    for path in (tmp_path / "one").glob("dovecote-accepted.db*"):
        path.rename(tmp_path / "other" / path.name)

    with pytest.raises(ForeignJournal, match="belongs to another store"), opened(tmp_path / "other"):
        pass


def test_better_queues_are_filed_first(tmp_path):
    with opened(tmp_path) as (store, journal_store):
        key = open_key(store)
        rest = accept(journal_store, key)
        urgent = accept(journal_store, key, tag="priority")

        Filer(store, journal_store).file(1)
        first = filed(store)
        Filer(store, journal_store).file(1)

        assert first == [urgent]
        assert filed(store) == [urgent, rest]
