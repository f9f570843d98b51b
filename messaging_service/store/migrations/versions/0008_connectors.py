"""What accounts show marketing platforms."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Apply."""
    op.create_table(
        "connector_credentials",
        sa.Column("account_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("connector", sa.String(length=64), nullable=False),
        sa.Column("app_userid", sa.String(length=255), nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_connector_credentials_account_id")),
        sa.PrimaryKeyConstraint("account_id", "connector", "app_userid", name=op.f("pk_connector_credentials")),
    )
