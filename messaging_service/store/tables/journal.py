"""The journal of accepted calls. On SQLite it is a file of its own: calls don't wait for what processes them."""

from sqlalchemy import Column, Index, SmallInteger, Table

from messaging_service.store.tables.schema import Identifier, Json, RowId, metadata

# A row is a call that was answered with 200 and whose messages have no rows of their own yet.
accepted_calls = Table(
    "accepted_calls",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("queue", SmallInteger, nullable=False),  # the best of its messages
    Column("plan", Json, nullable=False),  # the rows to write, see `accept.planning`
    Index(None, "queue", "id"),
    sqlite_autoincrement=True,  # a number is never given again, so that a position in the journal has one meaning
)

# How far the journal is filed, by queue. Only where the journal is a file of its own.
filed_calls = Table(
    "filed_calls",
    metadata,
    Column("queue", SmallInteger, primary_key=True, autoincrement=False),
    Column("position", RowId, nullable=False),
)

# Which store a journal belongs to: the same text in both files.
store_identity = Table(
    "store_identity",
    metadata,
    Column("identity", Identifier, primary_key=True),
)
