"""The answers kept for calls that may be repeated."""

from sqlalchemy import Column, String, Table

from messaging_service.store.tables.schema import Json, Moment, RowId, metadata

idempotency_keys = Table(
    "idempotency_keys",
    metadata,
    Column("key_id", RowId, primary_key=True, autoincrement=False),
    Column("idempotency_key", String(255), primary_key=True),
    Column("digest", String(64), nullable=False),  # of the call's path and body
    Column("response", Json, nullable=False),
    Column("created_at", Moment, nullable=False, index=True),
)
