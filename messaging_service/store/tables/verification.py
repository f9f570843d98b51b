"""Verification: what accounts have set, the codes under way, and the limits on starting."""

from sqlalchemy import Column, ForeignKey, Index, SmallInteger, String, Table, Text, text

from messaging_service.store.tables.schema import Identifier, Json, Moment, PhoneNumber, metadata

# An account without a row has the defaults.
verification_settings = Table(
    "verification_settings",
    metadata,
    Column("account_id", ForeignKey("accounts.id"), primary_key=True),
    Column("sealed_secret", Text, nullable=False),  # encrypted with the verification key; empty: no proofs
    Column("attempts", SmallInteger, nullable=False),
    Column("language", String(2), nullable=False),
    Column("template", Text, nullable=False),  # empty: the shipped one of the language
    Column("origin", Text, nullable=False),  # host of origin-bound codes; empty: none
    Column("countries", Text, nullable=False),  # comma-separated ISO 3166 codes; empty: all
)

# A session: one code for one number. Nothing in it tells the code to who doesn't have the verification key.
verifications = Table(
    "verifications",
    metadata,
    Column("token", String(43), primary_key=True),
    Column("account_id", ForeignKey("accounts.id"), nullable=False),
    Column("message_id", Identifier, nullable=False, unique=True),
    Column("phone_number", PhoneNumber, nullable=False),
    Column("prefix", PhoneNumber, nullable=False),  # the number without its last four digits
    Column("code_digest", String(64), nullable=False),
    Column("sealed_code", Text, nullable=False),
    Column("attempts", SmallInteger, nullable=False, server_default=text("0")),
    Column("attempts_allowed", SmallInteger, nullable=False),
    Column("created_at", Moment, nullable=False, index=True),
    Column("expires_at", Moment, nullable=False),
    Column("verified_at", Moment),
    Column("proof_digest", String(64)),  # of the proof that was given with the success
    Index(None, "account_id", "phone_number"),
    Index(None, "prefix", "created_at"),
)

# One row for each account, number, country and prefix that starts count against; its lock puts them in order.
verification_limits = Table(
    "verification_limits",
    metadata,
    Column("kind", String(8), primary_key=True),
    Column("subject", String(64), primary_key=True),
    Column("recent", Json, nullable=False),  # [[moment, count], ...], the oldest first
    Column("refused_until", Moment, nullable=False, server_default=text("0")),
    Column("judged_at", Moment, nullable=False, server_default=text("0")),
    Column("updated_at", Moment, nullable=False, index=True),
)
