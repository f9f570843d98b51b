"""The outbox of notifications."""

from sqlalchemy import Column, ForeignKey, Index, Integer, SmallInteger, Table, Text, text

from messaging_service.store.tables.schema import Identifier, Json, Moment, RowId, metadata

# The outbox: a row is one delivery to one address, a batch of events that were written with the changes they tell of.
callbacks = Table(
    "callbacks",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("delivery_id", Identifier, nullable=False),
    Column("key_id", ForeignKey("keys.id"), nullable=False),
    Column("receiver", Text, nullable=False),  # key and origin: what is slow or dead together
    Column("url", Text, nullable=False),
    Column("events", Json, nullable=False),  # the JSON array that is sent, byte for byte
    Column("event_count", SmallInteger, nullable=False),
    Column("size", Integer, nullable=False),  # of the events, in bytes
    Column("attempts", SmallInteger, nullable=False, server_default=text("0")),
    Column("due_at", Moment),  # null: given up, kept for replay
    Column("last_error", Text),
    Column("created_at", Moment, nullable=False),
    Index(
        "ix_callbacks_due",
        "receiver",
        "due_at",
        sqlite_where=text("due_at IS NOT NULL"),
        postgresql_where=text("due_at IS NOT NULL"),
    ),
    Index(
        "ix_callbacks_failed",
        "key_id",
        "id",
        sqlite_where=text("due_at IS NULL"),
        postgresql_where=text("due_at IS NULL"),
    ),
)
