"""The blacklist and the opt-out list."""

from sqlalchemy import Column, ForeignKey, String, Table

from messaging_service.store.tables.schema import Moment, PhoneNumber, metadata

# Numbers that get nothing (`blacklist`) or nothing promotional (`optout`), for the account or one of its sub-accounts.
suppressions = Table(
    "suppressions",
    metadata,
    Column("account_id", ForeignKey("accounts.id"), primary_key=True),
    Column("list", String(10), primary_key=True),
    Column("phone_number", PhoneNumber, primary_key=True),
    Column("subid", String(64), primary_key=True),
    Column("created_at", Moment, nullable=False),
)
