"""The ledger's tables. Times are Unix seconds, prices millionths of a unit of the currency."""

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData()

campaigns = Table(
    "campaigns",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("name", String(200), nullable=False, unique=True),
    Column("fingerprint", String(64), nullable=False),
    Column("settings", JSON, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("owner", String(64)),
    Column("lease_until", Double),
)

batches = Table(
    "batches",
    metadata,
    Column("id", String(48), primary_key=True),
    Column("campaign_id", ForeignKey("campaigns.id", ondelete="CASCADE"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("tag", String(500), nullable=False),
    Column("state", String(16), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("first_claimed_at", Double),
    Column("claimed_at", Double),
    Column("answered_at", Double),
    Column("request_id", String(64)),
    Column("doubt", Text),
    UniqueConstraint("campaign_id", "position", name="uq_batches_position"),
    Index("ix_batches_state", "campaign_id", "state"),
)

messages = Table(
    "messages",
    metadata,
    Column("batch_id", ForeignKey("batches.id", ondelete="CASCADE"), primary_key=True),
    Column("object_index", Integer, primary_key=True, autoincrement=False),
    Column("body", Text, nullable=False),
)

recipients = Table(
    "recipients",
    metadata,
    Column("campaign_id", ForeignKey("campaigns.id", ondelete="CASCADE"), primary_key=True),
    Column("phone_number", String(15), primary_key=True),
    Column("batch_id", ForeignKey("batches.id", ondelete="CASCADE"), nullable=False),
    Column("object_index", Integer, nullable=False),
    Column("recipient_index", Integer, nullable=False),
    Column("line", Integer, nullable=False),
    Column("message_id", String(80)),
    Column("result", String(16), nullable=False),
    Column("reason", Text),
    Column("parts", Integer, nullable=False),
    Column("price_czk", BigInteger, nullable=False),
    Column("price_eur", BigInteger, nullable=False),
    Column("updated_at", Double),
    Index("ix_recipients_batch", "batch_id"),
    Index("ix_recipients_result", "campaign_id", "result"),
)
"""One row a recipient and campaign: the primary key itself keeps anybody from being planned twice."""
