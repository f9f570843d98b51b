"""Opens the journal of a SQLite store, a file beside it, and makes sure that the two belong together."""

from sqlalchemy import Connection, insert, select, text

from messaging_service.identifiers import new_id
from messaging_service.store import journal
from messaging_service.store.engine import Store, journal_url, open_store
from messaging_service.store.migrate import migrate
from messaging_service.store.tables import accepted_calls, store_identity


class ForeignJournal(ValueError):  # noqa: N818
    """The journal beside the store belongs to another store: its calls are of other accounts."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"The journal {path} belongs to another store than the one beside it; "
            "put back the store that it belongs to, or move the journal away (its unfiled calls would be lost).",
        )


def open_journal(store: Store, url: str) -> Store:
    """Open the journal of the store at ``url``: the store itself where it is PostgreSQL. Raises ForeignJournal."""
    if not store.is_sqlite:
        return store
    opened = open_store(journal_url(url))
    try:
        migrate(opened)
        with store.writing() as in_store, opened.writing() as in_journal:
            _bind(in_store, in_journal, journal_url(url))
    except BaseException:
        opened.close()
        raise
    return opened


def _bind(in_store: Connection, in_journal: Connection, url: str) -> None:
    identity = _identity(in_store)
    if identity is None:
        identity = new_id()
        _write(in_store, identity)
    found = _identity(in_journal)
    if found is None:
        _write(in_journal, identity)
        _number_from(in_journal, max(journal.positions(in_store).values(), default=0))
    elif found != identity:
        raise ForeignJournal(url.removeprefix("sqlite:///"))


def _identity(connection: Connection) -> str | None:
    return connection.execute(select(store_identity.c.identity)).scalar()


def _write(connection: Connection, identity: str) -> None:
    connection.execute(insert(store_identity).values(identity=identity))


def _number_from(connection: Connection, position: int) -> None:
    """Give calls numbers after ``position``, so that a new journal of an old store begins where the lost one ended."""
    connection.execute(
        text("INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :seq)"),
        {"name": accepted_calls.name, "seq": position},
    )
