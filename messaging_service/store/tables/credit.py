"""Low-credit alerts, and the e-mails that wait to be sent."""

from sqlalchemy import Boolean, Column, ForeignKey, Index, SmallInteger, String, Table, Text, text

from messaging_service.store.tables.schema import Moment, Money, RowId, metadata

# A key is told once that its wallet is below `value`: `is_told` until credit has risen to it again.
credit_alerts = Table(
    "credit_alerts",
    metadata,
    Column("key_id", ForeignKey("keys.id"), primary_key=True),
    Column("wallet_id", ForeignKey("wallets.id"), nullable=False),
    Column("email", String(254), nullable=False),
    Column("value", Money, nullable=False),
    Column("is_enabled", Boolean, nullable=False),
    Column("is_told", Boolean, nullable=False, server_default=text("(false)")),
)

# Written in the transaction of what they tell; gone once a mail server took them. No `due_at`: given up.
mails = Table(
    "mails",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("mail_id", String(48), nullable=False),  # the same on every attempt
    Column("recipient", String(254), nullable=False),
    Column("subject", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("attempts", SmallInteger, nullable=False, server_default=text("0")),
    Column("due_at", Moment),
    Column("last_error", Text),
    Column("created_at", Moment, nullable=False),
)
_WAITS = mails.c.due_at.is_not(None)
Index("ix_mails_due", mails.c.due_at, sqlite_where=_WAITS, postgresql_where=_WAITS)
