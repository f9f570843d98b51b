"""What accounts show marketing platforms."""

from sqlalchemy import Column, ForeignKey, String, Table, Text

from messaging_service.store.tables.schema import Moment, metadata

connector_credentials = Table(
    "connector_credentials",
    metadata,
    Column("account_id", ForeignKey("accounts.id"), primary_key=True),
    Column("connector", String(64), primary_key=True),
    Column("app_userid", String(255), primary_key=True),
    Column("sealed", Text, nullable=False),  # with the verification key: the platform wants to see it as it is
    Column("created_at", Moment, nullable=False),
)
