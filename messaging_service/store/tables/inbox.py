"""The inbox: what people wrote to the accounts' senders."""

from sqlalchemy import Column, ForeignKey, Index, String, Table, Text

from messaging_service.store.tables.schema import Identifier, Json, Moment, PhoneNumber, RowId, metadata

# A row is one inbound message, of the key whose message it answers (`message_id`) or whose sender was written to.
inbox = Table(
    "inbox",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("key_id", ForeignKey("keys.id"), nullable=False),
    Column("inbound_id", String(100), nullable=False, unique=True),  # the operator's, by which it is recorded once
    Column("ts_received", Moment, nullable=False),
    Column("sender", PhoneNumber, nullable=False),
    Column("recipient", PhoneNumber, nullable=False),
    Column("body", Text, nullable=False),
    Column("gateway", String(20), nullable=False),
    Column("payload", Json),  # of the message answered
    Column("message_id", Identifier),
    Index(None, "key_id", "ts_received"),
    Index(None, "sender", "ts_received"),
)
