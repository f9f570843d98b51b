"""Accounts, their wallets and keys."""

from sqlalchemy import Boolean, Column, ForeignKey, Index, String, Table, Text, UniqueConstraint, text

from messaging_service.store.tables.schema import Json, Moment, Money, RowId, metadata

accounts = Table(
    "accounts",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("name", Text, nullable=False),
    Column("calling_code", String(4), nullable=False),
    Column("time_zone", String(64), nullable=False),
    Column("marketing_window", Json),  # when promotional messages may go (``marketing``); null: at any time
    Column("created_at", Moment, nullable=False),
)

wallets = Table(
    "wallets",
    metadata,
    Column("id", RowId, primary_key=True),
    Column("account_id", ForeignKey("accounts.id"), nullable=False),
    Column("currency", String(3), nullable=False),
    Column("balance", Money, nullable=False),
)

# A key is a sub-account: messages, statistics and settings are its own. A shared key spends from its parent's wallet.
keys = Table(
    "keys",
    metadata,
    Column("id", RowId, primary_key=True),
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
    Column("share_senders", Boolean, nullable=False, server_default=text("(false)")),  # those of the parent
    Column("app_userid", String(255)),  # the parent's own name for whoever uses the key
    Column("sealed", Text),  # the key itself, encrypted, where it has an app_userid and may be asked for again
    Column("created_at", Moment, nullable=False),
    UniqueConstraint("account_id", "subid"),
    Index("uq_keys_app_userid", "parent_id", "app_userid", unique=True),
)
