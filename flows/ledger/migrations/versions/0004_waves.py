"""Waves of a campaign, each with a lease of its own; approval, cancelling, and the way that a batch goes."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Give every campaign that there is one wave, approved."""
    op.create_table(
        "waves",
        sa.Column("campaign_id", sa.String(32), sa.ForeignKey("campaigns.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("opens_at", sa.Double),
        sa.Column("closes_at", sa.Double),
        sa.Column("clocks", sa.JSON, nullable=False),
        sa.Column("run_id", sa.String(36)),
        sa.Column("owner", sa.String(64)),
        sa.Column("lease_until", sa.Double),
    )
    op.execute("INSERT INTO waves (campaign_id, number, clocks) SELECT id, 1, '[]' FROM campaigns")
    op.drop_column("campaigns", "owner")
    op.drop_column("campaigns", "lease_until")
    op.add_column("campaigns", sa.Column("asked", sa.String(64)))
    op.add_column("campaigns", sa.Column("asked_by", sa.String(36)))
    op.add_column("campaigns", sa.Column("revision", sa.Integer, nullable=False, server_default="1"))
    op.add_column("campaigns", sa.Column("pace", sa.JSON, nullable=False, server_default="{}"))
    op.add_column("campaigns", sa.Column("source", sa.JSON))
    op.add_column("campaigns", sa.Column("approved_at", sa.Double))
    op.add_column("campaigns", sa.Column("cancelled_at", sa.Double))
    op.execute("UPDATE campaigns SET approved_at = created_at")
    op.add_column("batches", sa.Column("wave", sa.Integer, nullable=False, server_default="1"))
    op.add_column("batches", sa.Column("way", sa.String(8), nullable=False, server_default="calls"))
    op.add_column("messages", sa.Column("delivery_time", sa.JSON))
