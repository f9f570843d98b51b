"""What the flows beside campaigns remember: turns, the inbox, balances, second tries, templates."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "turns",
        sa.Column("name", sa.String(200), primary_key=True),
        sa.Column("owner", sa.String(64)),
        sa.Column("held_until", sa.Double),
    )
    op.create_table(
        "inbox_marks",
        sa.Column("account", sa.String(100), primary_key=True),
        sa.Column("date", sa.String(10), nullable=False),
    )
    op.create_table(
        "inbound",
        sa.Column("account", sa.String(100), primary_key=True),
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("date", sa.String(10), nullable=False),
        sa.Column("consent_at", sa.Double),
        sa.Column("forwarded_at", sa.Double),
        sa.Column("told_at", sa.Double),
    )
    op.create_index("ix_inbound_date", "inbound", ["account", "date"])
    op.create_table(
        "balances",
        sa.Column("account", sa.String(100), primary_key=True),
        sa.Column("read_at", sa.Double, primary_key=True),
        sa.Column("amount", sa.BigInteger, nullable=False),
        sa.Column("currency", sa.String(3), nullable=False),
        sa.Column("level", sa.String(16), nullable=False),
        sa.Column("warned_at", sa.Double),
    )
    op.create_table(
        "resends",
        sa.Column("campaign_id", sa.String(32), sa.ForeignKey("campaigns.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("phone_number", sa.String(15), primary_key=True),
        sa.Column("resend_id", sa.String(32), sa.ForeignKey("campaigns.id", ondelete="CASCADE"), nullable=False),
    )
    op.create_index("ix_resends_resend", "resends", ["resend_id"])
    op.create_table(
        "templates",
        sa.Column("account", sa.String(100), primary_key=True),
        sa.Column("waba_id", sa.String(100), primary_key=True),
        sa.Column("name", sa.String(100), primary_key=True),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("languages", sa.JSON, nullable=False),
        sa.Column("changed_at", sa.Double, nullable=False),
    )
