"""Campaigns, their batches, messages and recipients, and the lease of a campaign's owner."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "campaigns",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("name", sa.String(200), nullable=False, unique=True),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("settings", sa.JSON, nullable=False),
        sa.Column("created_at", sa.Double, nullable=False),
        sa.Column("owner", sa.String(64)),
        sa.Column("lease_until", sa.Double),
    )
    op.create_table(
        "batches",
        sa.Column("id", sa.String(48), primary_key=True),
        sa.Column("campaign_id", sa.String(32), sa.ForeignKey("campaigns.id", ondelete="CASCADE"), nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("tag", sa.String(500), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("first_claimed_at", sa.Double),
        sa.Column("claimed_at", sa.Double),
        sa.Column("answered_at", sa.Double),
        sa.Column("request_id", sa.String(64)),
        sa.Column("doubt", sa.Text),
        sa.UniqueConstraint("campaign_id", "position", name="uq_batches_position"),
    )
    op.create_index("ix_batches_state", "batches", ["campaign_id", "state"])
    op.create_table(
        "messages",
        sa.Column("batch_id", sa.String(48), sa.ForeignKey("batches.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("object_index", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_table(
        "recipients",
        sa.Column("campaign_id", sa.String(32), sa.ForeignKey("campaigns.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("phone_number", sa.String(15), primary_key=True),
        sa.Column("batch_id", sa.String(48), sa.ForeignKey("batches.id", ondelete="CASCADE"), nullable=False),
        sa.Column("object_index", sa.Integer, nullable=False),
        sa.Column("recipient_index", sa.Integer, nullable=False),
        sa.Column("line", sa.Integer, nullable=False),
        sa.Column("message_id", sa.String(80)),
        sa.Column("result", sa.String(16), nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("parts", sa.Integer, nullable=False),
        sa.Column("price_czk", sa.BigInteger, nullable=False),
        sa.Column("price_eur", sa.BigInteger, nullable=False),
        sa.Column("updated_at", sa.Double),
    )
    op.create_index("ix_recipients_batch", "recipients", ["batch_id"])
    op.create_index("ix_recipients_result", "recipients", ["campaign_id", "result"])
