"""Messages: what an object shares, and a row for each recipient."""

from sqlalchemy import Boolean, Column, ForeignKey, Index, Integer, SmallInteger, String, Table, Text, text

from messaging_service.store.tables.schema import Identifier, Json, Moment, Money, PhoneNumber, RowId, metadata

# What the recipients of one message object share, written once.
contents = Table(
    "contents",
    metadata,
    Column("id", Identifier, primary_key=True),
    Column("key_id", ForeignKey("keys.id"), nullable=False),
    Column("request_id", Identifier, nullable=False),
    Column("date", String(10), nullable=False),
    Column("tags", Text, nullable=False),
    Column("body", Text),
    Column("sender", String(16)),
    Column("callback", Text),
    Column("payload", Json),
    Column("flow", Json),  # the steps as asked for; null: one SMS step
    Column("delivery_time", Json),
    Column("params", Json),
    Column("created_at", Moment, nullable=False),
    Index(None, "key_id", "date", "id"),
    Index(None, "request_id"),
)

# One row a recipient. `due_at` is when the message next needs attention (null: never), whatever its state.
messages = Table(
    "messages",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("message_id", Identifier, nullable=False, unique=True),
    Column("content_id", ForeignKey("contents.id"), nullable=False),
    Column("position", SmallInteger, nullable=False),
    Column("recipient", Text, nullable=False),  # as the caller wrote it
    Column("phone_number", PhoneNumber),  # as phase 2 normalised it
    Column("state", String(12), nullable=False),
    Column("queue", SmallInteger, nullable=False),
    Column("due_at", Moment),
    Column("in_doubt", Boolean, nullable=False, server_default=text("false")),  # handed over, outcome not recorded
    Column("flow_index", SmallInteger, nullable=False, server_default=text("0")),
    Column("expires_at", Moment),  # when the time of its step ends, where the step has a ttl and another follows
    Column("flow_history", Json),  # the steps that the message has left behind
    Column("short_text", Text),  # of the step that it is on, with short links; null: as the content has it
    Column("code", Integer),
    Column("reason", Text),
    Column("mcc", SmallInteger),
    Column("mnc", SmallInteger),
    Column("parts", SmallInteger, nullable=False, server_default=text("0")),
    Column("price_czk", Money, nullable=False, server_default=text("0")),
    Column("price_eur", Money, nullable=False, server_default=text("0")),
    Column("charged", Money, nullable=False, server_default=text("0")),  # in the wallet's currency
    Column("ts_sent", Moment),
    Column("ts_delivered", Moment),
    Column("ts_seen", Moment),
    Column("ts_clicked", Moment),
    Column("ts_replied", Moment),
    Column("ts_optout", Moment),
    Column("ts_updated", Moment),
    Index(None, "content_id", "position"),
    Index(
        "ix_messages_due",
        "queue",
        "due_at",
        sqlite_where=text("due_at IS NOT NULL"),
        postgresql_where=text("due_at IS NOT NULL"),
    ),
    Index(
        "ix_messages_phone_number",
        "phone_number",
        sqlite_where=text("phone_number IS NOT NULL"),
        postgresql_where=text("phone_number IS NOT NULL"),
    ),
)
