"""Sessions, starts under way, allowances of clients, and proofs that were used."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "verify_sessions",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("phone_number", sa.String(15), nullable=False),
        sa.Column("purpose", sa.String(64), nullable=False),
        sa.Column("upstream_tokens", sa.JSON, nullable=False),
        sa.Column("sent_at", sa.Double, nullable=False),
        sa.Column("expires_at", sa.Double, nullable=False),
        sa.Column("guesses", sa.Integer, nullable=False),
        sa.Column("resends", sa.Integer, nullable=False),
        sa.Column("verified_at", sa.String(40)),
        sa.Column("result_expires_at", sa.Double),
        sa.Column("redeemed_at", sa.Double),
    )
    op.create_index("ix_verify_sessions_expires_at", "verify_sessions", ["expires_at"])
    op.create_table(
        "verify_starts",
        sa.Column("key_digest", sa.String(64), primary_key=True),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("session_id", sa.String(32), sa.ForeignKey("verify_sessions.id", ondelete="CASCADE"), unique=True),
        sa.Column("claimed_at", sa.Double, nullable=False),
    )
    op.create_index("ix_verify_starts_claimed_at", "verify_starts", ["claimed_at"])
    op.create_table(
        "verify_allowances",
        sa.Column("subject", sa.String(80), primary_key=True),
        sa.Column("even_at", sa.Double, nullable=False),
    )
    op.create_index("ix_verify_allowances_even_at", "verify_allowances", ["even_at"])
    op.create_table(
        "verify_used_proofs",
        sa.Column("digest", sa.String(64), primary_key=True),
        sa.Column("expires_at", sa.Double, nullable=False),
    )
    op.create_index("ix_verify_used_proofs_expires_at", "verify_used_proofs", ["expires_at"])
