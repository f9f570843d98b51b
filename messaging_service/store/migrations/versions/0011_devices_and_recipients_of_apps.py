"""Devices and recipients of apps."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Apply."""
    op.create_table(
        "registered_recipients",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("key_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("recipient_id", sa.String(length=48), nullable=False),
        sa.Column("phone_number", sa.String(length=24), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["key_id"], ["keys.id"], name=op.f("fk_registered_recipients_key_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_registered_recipients")),
        sa.UniqueConstraint("key_id", "phone_number", name=op.f("uq_registered_recipients_key_id_phone_number")),
        sa.UniqueConstraint("recipient_id", name=op.f("uq_registered_recipients_recipient_id")),
    )
    op.create_table(
        "push_devices",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("key_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("device_id", sa.String(length=255), nullable=False),
        sa.Column("platform", sa.String(length=10), nullable=False),
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("recipient_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["key_id"], ["keys.id"], name=op.f("fk_push_devices_key_id")),
        sa.ForeignKeyConstraint(
            ["recipient_id"], ["registered_recipients.id"], name=op.f("fk_push_devices_recipient_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_push_devices")),
        sa.UniqueConstraint("device_id", name=op.f("uq_push_devices_device_id")),
    )
    with op.batch_alter_table("push_devices", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_push_devices_recipient_id"), ["recipient_id"], unique=False)
