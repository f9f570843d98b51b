"""The devices and people of apps."""

from sqlalchemy import Column, ForeignKey, String, Table, Text, UniqueConstraint

from messaging_service.store.tables.schema import Identifier, Moment, PhoneNumber, RowId, metadata

registered_recipients = Table(
    "registered_recipients",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("key_id", ForeignKey("keys.id"), nullable=False),
    Column("recipient_id", Identifier, nullable=False, unique=True),
    Column("phone_number", PhoneNumber, nullable=False),
    Column("name", Text, nullable=False),
    Column("created_at", Moment, nullable=False),
    UniqueConstraint("key_id", "phone_number"),
)

# A device belongs to the key that registered it first, whoever names it later.
push_devices = Table(
    "push_devices",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("key_id", ForeignKey("keys.id"), nullable=False),
    Column("device_id", String(255), nullable=False, unique=True),
    Column("platform", String(10), nullable=False),
    Column("token", Text, nullable=False),  # by which the platform reaches it; empty: not any more
    Column("recipient_id", ForeignKey("registered_recipients.id"), index=True),
    Column("created_at", Moment, nullable=False),
)
