"""Billing: whom invoices are made out to, what there is to invoice, and the invoices."""

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Apply."""
    op.create_table(
        "invoice_numbers",
        sa.Column("year", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("last", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("year", name=op.f("pk_invoice_numbers")),
    )
    op.create_table(
        "daily_charges",
        sa.Column("wallet_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("date", sa.String(length=10), nullable=False),
        sa.Column("channel", sa.String(length=20), nullable=False),
        sa.Column("messages", sa.BigInteger(), nullable=False),
        sa.Column("amount", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["wallet_id"], ["wallets.id"], name=op.f("fk_daily_charges_wallet_id")),
        sa.PrimaryKeyConstraint("wallet_id", "date", "channel", name=op.f("pk_daily_charges")),
    )
    op.create_table(
        "billing_records",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("billing_id", sa.String(length=48), nullable=False),
        sa.Column("account_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("key_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("name", sa.Text(), server_default="", nullable=False),
        sa.Column("email", sa.Text(), server_default="", nullable=False),
        sa.Column("street", sa.Text(), server_default="", nullable=False),
        sa.Column("city", sa.Text(), server_default="", nullable=False),
        sa.Column("zip", sa.Text(), server_default="", nullable=False),
        sa.Column("country", sa.Text(), server_default="", nullable=False),
        sa.Column("company_id", sa.Text(), server_default="", nullable=False),
        sa.Column("company_vat", sa.Text(), server_default="", nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name=op.f("fk_billing_records_account_id")),
        sa.ForeignKeyConstraint(["key_id"], ["keys.id"], name=op.f("fk_billing_records_key_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_billing_records")),
        sa.UniqueConstraint("billing_id", name=op.f("uq_billing_records_billing_id")),
        sa.UniqueConstraint("key_id", name=op.f("uq_billing_records_key_id")),
    )
    op.create_table(
        "billed_wallets",
        sa.Column("wallet_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("billing_record_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.ForeignKeyConstraint(
            ["billing_record_id"], ["billing_records.id"], name=op.f("fk_billed_wallets_billing_record_id")
        ),
        sa.ForeignKeyConstraint(["wallet_id"], ["wallets.id"], name=op.f("fk_billed_wallets_wallet_id")),
        sa.PrimaryKeyConstraint("wallet_id", name=op.f("pk_billed_wallets")),
    )
    with op.batch_alter_table("billed_wallets", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_billed_wallets_billing_record_id"), ["billing_record_id"], unique=False)

    op.create_table(
        "invoices",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("number", sa.String(length=20), nullable=False),
        sa.Column("wallet_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("billing_record_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("month", sa.String(length=7), nullable=False),
        sa.Column("issued", sa.String(length=10), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["billing_record_id"], ["billing_records.id"], name=op.f("fk_invoices_billing_record_id")
        ),
        sa.ForeignKeyConstraint(["wallet_id"], ["wallets.id"], name=op.f("fk_invoices_wallet_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invoices")),
        sa.UniqueConstraint("number", name=op.f("uq_invoices_number")),
        sa.UniqueConstraint("wallet_id", "month", name=op.f("uq_invoices_wallet_id_month")),
    )
    with op.batch_alter_table("invoices", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_invoices_billing_record_id"), ["billing_record_id"], unique=False)

    op.create_table(
        "invoice_files",
        sa.Column("invoice_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("pdf", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["invoice_id"], ["invoices.id"], name=op.f("fk_invoice_files_invoice_id")),
        sa.PrimaryKeyConstraint("invoice_id", name=op.f("pk_invoice_files")),
    )
    _add_records(op.get_bind())


def _add_records(connection: sa.Connection) -> None:
    """Give every key that has a wallet of its own a billing record."""
    keys = sa.table("keys", *map(sa.column, ("id", "account_id", "wallet_id", "parent_id", "created_at")))
    parents = keys.alias()
    question = (
        sa.select(keys)
        .outerjoin(parents, parents.c.id == keys.c.parent_id)
        .where(sa.or_(keys.c.parent_id.is_(None), parents.c.wallet_id != keys.c.wallet_id))
    )
    names = ("id", "billing_id", "account_id", "key_id", "created_at")
    records = sa.table("billing_records", *map(sa.column, names))
    wallets = sa.table("billed_wallets", *map(sa.column, ("wallet_id", "billing_record_id")))
    for key in connection.execute(question).mappings().all():
        row = {"billing_id": f"b-{secrets.token_hex(8)}", "account_id": key["account_id"], "key_id": key["id"]}
        written = sa.insert(records).values(row | {"created_at": key["created_at"]}).returning(records.c.id)
        number = connection.execute(written).scalar_one()
        connection.execute(sa.insert(wallets).values(wallet_id=key["wallet_id"], billing_record_id=number))
