"""Counters by date."""

from sqlalchemy import BigInteger, Column, ForeignKey, String, Table, Text, text

from messaging_service.store.tables.schema import Moment, metadata

# Kept as messages move, so that a statistics call costs the dates that it names.
daily_statistics = Table(
    "daily_statistics",
    metadata,
    Column("key_id", ForeignKey("keys.id"), primary_key=True),
    Column("date", String(10), primary_key=True),
    Column("tags", Text, primary_key=True),
    *(
        Column(name, BigInteger, nullable=False, server_default=text("0"))
        for name in (
            "msg_sent",
            "count_sent",
            "count_notsent",
            "count_delivered",
            "count_nondelivered",
            "count_seen",
            "count_clicked",
            "count_replied",
            "count_optout",
        )
    ),
    Column("first_ts_sent", Moment),
    Column("last_ts_sent", Moment),
)

daily_networks = Table(
    "daily_networks",
    metadata,
    Column("key_id", ForeignKey("keys.id"), primary_key=True),
    Column("date", String(10), primary_key=True),
    Column("tags", Text, primary_key=True),
    Column("network", String(8), primary_key=True),
    Column("count", BigInteger, nullable=False),
)
