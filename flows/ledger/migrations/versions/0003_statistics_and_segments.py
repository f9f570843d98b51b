"""Statistics by date, tags and network, drops of the delivery rate that were told, and members of segments."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "daily_statistics",
        sa.Column("account", sa.String(100), primary_key=True),
        sa.Column("sub_account", sa.String(100), primary_key=True),
        sa.Column("date", sa.String(10), primary_key=True),
        sa.Column("tags", sa.String(500), primary_key=True),
        sa.Column("network", sa.String(16), primary_key=True),
        sa.Column("sent", sa.BigInteger, nullable=False),
        sa.Column("rated", sa.BigInteger, nullable=False),
        sa.Column("delivered", sa.BigInteger, nullable=False),
        sa.Column("nondelivered", sa.BigInteger),
        sa.Column("notsent", sa.BigInteger),
        sa.Column("seen", sa.BigInteger),
        sa.Column("clicked", sa.BigInteger),
        sa.Column("replied", sa.BigInteger),
        sa.Column("optout", sa.BigInteger),
        sa.Column("parts", sa.BigInteger),
        sa.Column("first_sent_at", sa.Double),
        sa.Column("last_sent_at", sa.Double),
    )
    op.create_table(
        "rate_drops",
        sa.Column("account", sa.String(100), primary_key=True),
        sa.Column("sub_account", sa.String(100), primary_key=True),
        sa.Column("kind", sa.String(8), primary_key=True),
        sa.Column("subject", sa.String(255), primary_key=True),
        sa.Column("date", sa.String(10), primary_key=True),
        sa.Column("told_at", sa.Double, nullable=False),
    )
    op.create_table(
        "segment_syncs",
        sa.Column("name", sa.String(100), primary_key=True),
        sa.Column("account", sa.String(100), nullable=False),
        sa.Column("connector", sa.String(255), nullable=False),
        sa.Column("app_userid", sa.String(255), nullable=False),
        sa.Column("segment_id", sa.String(255), nullable=False),
        sa.Column("runs", sa.Integer, nullable=False),
        sa.Column("campaign_id", sa.String(32), sa.ForeignKey("campaigns.id", ondelete="SET NULL")),
        sa.Column("synced_at", sa.Double, nullable=False),
    )
    op.create_table(
        "segment_members",
        sa.Column(
            "sync_name", sa.String(100), sa.ForeignKey("segment_syncs.name", ondelete="CASCADE"), primary_key=True
        ),
        sa.Column("phone_number", sa.String(15), primary_key=True),
        sa.Column("joined_at", sa.Double, nullable=False),
        sa.Column("left_at", sa.Double),
        sa.Column("pending", sa.String(8)),
    )
