"""Ordered senders: names and virtual numbers."""

from sqlalchemy import Column, ForeignKey, Index, String, Table

from messaging_service.store.tables.schema import Identifier, Moment, Money, RowId, metadata

# What was charged stays here for invoices, also of orders that were cancelled.
orders = Table(
    "orders",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("order_id", Identifier, nullable=False, unique=True),
    Column("key_id", ForeignKey("keys.id"), nullable=False),
    Column("wallet_id", ForeignKey("wallets.id"), nullable=False),
    Column("service", String(10), nullable=False),
    Column("flow", String(20), nullable=False),  # the channel
    Column("value", String(16), nullable=False),  # the sender
    Column("charged", Money, nullable=False),
    Column("currency", String(3), nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("cancelled_at", Moment),
    Index(None, "wallet_id", "created_at"),
)
_ACTIVE = orders.c.cancelled_at.is_(None)
_NUMBER = _ACTIVE & (orders.c.service == "number")
Index(
    "uq_orders_of_key",
    *(orders.c.key_id, orders.c.flow, orders.c.value),
    unique=True,
    sqlite_where=_ACTIVE,
    postgresql_where=_ACTIVE,
)
Index("uq_orders_number", orders.c.value, unique=True, sqlite_where=_NUMBER, postgresql_where=_NUMBER)
