"""Bulk uploads: one row a file, with how far it has been read."""

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, String, Table, Text, UniqueConstraint, text

from messaging_service.store.tables.schema import Identifier, Json, Moment, RowId, metadata

bulk_uploads = Table(
    "bulk_uploads",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("key_id", ForeignKey("keys.id"), nullable=False),
    Column("bulk_id", Text, nullable=False),  # the caller's name of it
    Column("request_id", Identifier, nullable=False),
    Column("filetype", String(8), nullable=False),
    Column("state", String(16), nullable=False),
    Column("nonce", String(43), nullable=False),  # in the address; a file that came to an older one is refused
    Column("expires_at", Moment, nullable=False),  # of the address
    Column("scheduled_for", Moment),
    Column("due_at", Moment),  # when a worker next has something to do, or takes another one for dead
    Column("file", String(80)),  # its name in the folder of uploads
    Column("size", BigInteger),  # bytes of the file, unpacked
    # How far the file has been read; written together with the messages of the lines before it.
    Column("position", BigInteger, nullable=False, server_default=text("0")),
    Column("lines", Integer, nullable=False, server_default=text("0")),
    Column("accepted", Integer, nullable=False, server_default=text("0")),
    Column("rejected", Integer, nullable=False, server_default=text("0")),
    Column("errors", Json, nullable=False, server_default=text("'[]'")),  # the first rejected lines
    Column("created_at", Moment, nullable=False),
    Column("received_at", Moment),
    Column("finished_at", Moment),
    UniqueConstraint("key_id", "bulk_id"),
    Index(
        "ix_bulk_uploads_due",
        "due_at",
        sqlite_where=text("due_at IS NOT NULL"),
        postgresql_where=text("due_at IS NOT NULL"),
    ),
)
