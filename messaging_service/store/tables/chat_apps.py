"""Messaging apps: the accounts' templates, and what a platform told us that isn't recorded yet."""

from sqlalchemy import Column, ForeignKey, Index, SmallInteger, String, Table, Text, UniqueConstraint, text

from messaging_service.store.tables.schema import Json, Moment, RowId, metadata

# A row is a template in one language. `due_at` is when the platform is next asked about its approval (null: never).
chat_templates = Table(
    "chat_templates",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("account_id", ForeignKey("accounts.id"), nullable=False),
    Column("template_id", String(64), nullable=False, unique=True),  # the platform's
    Column("waba_id", String(64), nullable=False),
    Column("name", String(100), nullable=False),
    Column("language", String(24), nullable=False),
    Column("category", String(24), nullable=False),
    Column("library_template_name", String(100), nullable=False),
    Column("status", String(24), nullable=False),
    Column("reason", Text),
    # How many values a message must bring for each part.
    Column("body_count", SmallInteger, nullable=False),
    Column("header_count", SmallInteger, nullable=False),
    Column("button_count", SmallInteger, nullable=False),
    Column("due_at", Moment),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    UniqueConstraint("account_id", "name", "language", "waba_id"),
    Index(
        "ix_chat_templates_due",
        "due_at",
        sqlite_where=text("due_at IS NOT NULL"),
        postgresql_where=text("due_at IS NOT NULL"),
    ),
)

# A row is the body of one webhook call, kept from its answer until a worker has recorded what it tells.
chat_app_events = Table(
    "chat_app_events",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("body", Json, nullable=False),
    Column("due_at", Moment, nullable=False, index=True),  # later, while a worker records it
)
