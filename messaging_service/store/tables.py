"""The tables. Moments are milliseconds (UTC), money is millionths of a currency unit (see ``accounts/money``)."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    SmallInteger,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    },
)

# SQLite numbers rows by itself only in a column declared exactly INTEGER.
_RowId = BigInteger().with_variant(Integer, "sqlite")
_Moment = BigInteger
_Money = BigInteger
_Identifier = String(48)
_PhoneNumber = String(24)
_Json = Text

accounts = Table(
    "accounts",
    metadata,
    Column("id", _RowId, primary_key=True),
    Column("name", Text, nullable=False),
    Column("calling_code", String(4), nullable=False),
    Column("time_zone", String(64), nullable=False),
    Column("created_at", _Moment, nullable=False),
)

wallets = Table(
    "wallets",
    metadata,
    Column("id", _RowId, primary_key=True),
    Column("account_id", ForeignKey("accounts.id"), nullable=False),
    Column("currency", String(3), nullable=False),
    Column("balance", _Money, nullable=False),
)

# A key is a sub-account: messages, statistics and settings are its own. A shared key spends from its parent's wallet.
keys = Table(
    "keys",
    metadata,
    Column("id", _RowId, primary_key=True),
    Column("account_id", ForeignKey("accounts.id"), nullable=False),
    Column("parent_id", ForeignKey("keys.id")),
    Column("wallet_id", ForeignKey("wallets.id"), nullable=False),
    Column("subid", String(64), nullable=False),
    # SHA-256 of the key: a key is 256 random bits, so a slow hash would protect nothing and cost every call.
    Column("digest", String(64), nullable=False, unique=True),
    Column("hint", String(16), nullable=False),
    Column("scope", String(16), nullable=False),
    Column("note", Text, nullable=False),
    Column("default_sender", String(16), nullable=False),
    Column("default_callback_url", Text, nullable=False),
    Column("default_callback_secret", Text, nullable=False),
    Column("is_blocked", Boolean, nullable=False),
    Column("created_at", _Moment, nullable=False),
    UniqueConstraint("account_id", "subid"),
)

# What the recipients of one message object share, written once.
contents = Table(
    "contents",
    metadata,
    Column("id", _Identifier, primary_key=True),
    Column("key_id", ForeignKey("keys.id"), nullable=False),
    Column("request_id", _Identifier, nullable=False),
    Column("date", String(10), nullable=False),
    Column("tags", Text, nullable=False),
    Column("body", Text),
    Column("sender", String(16)),
    Column("callback", Text),
    Column("payload", _Json),
    Column("flow", _Json),  # the steps as asked for; null: one SMS step
    Column("delivery_time", _Json),
    Column("params", _Json),
    Column("created_at", _Moment, nullable=False),
    Index(None, "key_id", "date", "id"),
    Index(None, "request_id"),
)

# One row a recipient. `due_at` is when the message next needs attention (null: never), whatever its state.
messages = Table(
    "messages",
    metadata,
    Column("id", _RowId, primary_key=True),
    Column("message_id", _Identifier, nullable=False, unique=True),
    Column("content_id", ForeignKey("contents.id"), nullable=False),
    Column("position", SmallInteger, nullable=False),
    Column("recipient", Text, nullable=False),  # as the caller wrote it
    Column("phone_number", _PhoneNumber),  # as phase 2 normalised it
    Column("state", String(12), nullable=False),
    Column("queue", SmallInteger, nullable=False),
    Column("due_at", _Moment),
    Column("in_doubt", Boolean, nullable=False, server_default=text("false")),  # handed over, outcome not recorded
    Column("flow_index", SmallInteger, nullable=False, server_default=text("0")),
    Column("flow_history", _Json),  # the steps that the message has left behind
    Column("code", Integer),
    Column("reason", Text),
    Column("mcc", SmallInteger),
    Column("mnc", SmallInteger),
    Column("parts", SmallInteger, nullable=False, server_default=text("0")),
    Column("price_czk", _Money, nullable=False, server_default=text("0")),
    Column("price_eur", _Money, nullable=False, server_default=text("0")),
    Column("charged", _Money, nullable=False, server_default=text("0")),  # in the wallet's currency
    Column("ts_sent", _Moment),
    Column("ts_delivered", _Moment),
    Column("ts_seen", _Moment),
    Column("ts_clicked", _Moment),
    Column("ts_replied", _Moment),
    Column("ts_optout", _Moment),
    Column("ts_updated", _Moment),
    Index(None, "content_id", "position"),
    Index(
        "ix_messages_due",
        "queue",
        "due_at",
        sqlite_where=text("due_at IS NOT NULL"),
        postgresql_where=text("due_at IS NOT NULL"),
    ),
    Index(
        "ix_messages_phone_number",
        "phone_number",
        sqlite_where=text("phone_number IS NOT NULL"),
        postgresql_where=text("phone_number IS NOT NULL"),
    ),
)

# Numbers that get nothing (`blacklist`) or nothing promotional (`optout`), for the account or one of its sub-accounts.
suppressions = Table(
    "suppressions",
    metadata,
    Column("account_id", ForeignKey("accounts.id"), primary_key=True),
    Column("list", String(10), primary_key=True),
    Column("phone_number", _PhoneNumber, primary_key=True),
    Column("subid", String(64), primary_key=True),
    Column("created_at", _Moment, nullable=False),
)

# The outbox: a row is one delivery to one address, a batch of events that were written with the changes they tell of.
callbacks = Table(
    "callbacks",
    metadata,
    Column("id", _RowId, primary_key=True),
    Column("delivery_id", _Identifier, nullable=False),
    Column("key_id", ForeignKey("keys.id"), nullable=False),
    Column("receiver", Text, nullable=False),  # key and origin: what is slow or dead together
    Column("url", Text, nullable=False),
    Column("events", _Json, nullable=False),  # the JSON array that is sent, byte for byte
    Column("event_count", SmallInteger, nullable=False),
    Column("size", Integer, nullable=False),  # of the events, in bytes
    Column("attempts", SmallInteger, nullable=False, server_default=text("0")),
    Column("due_at", _Moment),  # null: given up, kept for replay
    Column("last_error", Text),
    Column("created_at", _Moment, nullable=False),
    Index(
        "ix_callbacks_due",
        "receiver",
        "due_at",
        sqlite_where=text("due_at IS NOT NULL"),
        postgresql_where=text("due_at IS NOT NULL"),
    ),
    Index(
        "ix_callbacks_failed",
        "key_id",
        "id",
        sqlite_where=text("due_at IS NULL"),
        postgresql_where=text("due_at IS NULL"),
    ),
)

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
    Column("first_ts_sent", _Moment),
    Column("last_ts_sent", _Moment),
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

idempotency_keys = Table(
    "idempotency_keys",
    metadata,
    Column("key_id", ForeignKey("keys.id"), primary_key=True),
    Column("idempotency_key", String(255), primary_key=True),
    Column("digest", String(64), nullable=False),  # of the call's path and body
    Column("response", _Json, nullable=False),
    Column("created_at", _Moment, nullable=False, index=True),
)
