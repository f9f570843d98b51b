"""Whom invoices are made out to, what there is to invoice, and the invoices."""

from sqlalchemy import BigInteger, Column, ForeignKey, Integer, LargeBinary, String, Table, Text, UniqueConstraint

from messaging_service.store.tables.schema import Json, Moment, Money, RowId, metadata

# A record belongs to one key; shared sub-keys have none.
billing_records = Table(
    "billing_records",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("billing_id", String(48), nullable=False, unique=True),
    Column("account_id", ForeignKey("accounts.id"), nullable=False),
    Column("key_id", ForeignKey("keys.id"), nullable=False, unique=True),
    *(
        Column(name, Text, nullable=False, server_default="")
        for name in ("name", "email", "street", "city", "zip", "country", "company_id", "company_vat")
    ),
    Column("created_at", Moment, nullable=False),
)

# To which record a wallet's invoices go; several wallets may share one.
billed_wallets = Table(
    "billed_wallets",
    metadata,
    Column("wallet_id", ForeignKey("wallets.id"), primary_key=True),
    Column("billing_record_id", ForeignKey("billing_records.id"), nullable=False, index=True),
)

# Kept as messages are charged and refunded, so that an invoice costs a month's days, not its messages.
daily_charges = Table(
    "daily_charges",
    metadata,
    Column("wallet_id", ForeignKey("wallets.id"), primary_key=True),
    Column("date", String(10), primary_key=True),
    Column("channel", String(20), primary_key=True),
    Column("messages", BigInteger, nullable=False),
    Column("amount", Money, nullable=False),  # in the wallet's currency
)

# Written once, never changed.
invoices = Table(
    "invoices",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("number", String(20), nullable=False, unique=True),
    Column("wallet_id", ForeignKey("wallets.id"), nullable=False),
    Column("billing_record_id", ForeignKey("billing_records.id"), nullable=False, index=True),
    Column("month", String(7), nullable=False),
    Column("issued", String(10), nullable=False),
    Column("document", Json, nullable=False),  # all that stands on it: issuer, customer, lines, sums
    UniqueConstraint("wallet_id", "month"),
)

# The last number of each year, moved on in the transaction that issues: numbers have no gaps.
invoice_numbers = Table(
    "invoice_numbers",
    metadata,
    Column("year", Integer, primary_key=True, autoincrement=False),
    Column("last", Integer, nullable=False),
)

# The file as it was first given out, so that it is the same for ever.
invoice_files = Table(
    "invoice_files",
    metadata,
    Column("invoice_id", ForeignKey("invoices.id"), primary_key=True),
    Column("pdf", LargeBinary, nullable=False),
)
