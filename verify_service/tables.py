"""The store's tables. Moments are Unix seconds. Nothing here is a code, a key or a proof."""

from sqlalchemy import JSON, Column, Double, ForeignKey, Integer, MetaData, String, Table

metadata = MetaData()

# One person proving one number. The upstream's tokens are useless without its key.
sessions = Table(
    "verify_sessions",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("phone_number", String(15), nullable=False),
    Column("purpose", String(64), nullable=False),
    Column("upstream_tokens", JSON, nullable=False),  # one for each code sent, the newest first
    Column("sent_at", Double, nullable=False),  # the newest code
    Column("expires_at", Double, nullable=False, index=True),
    Column("guesses", Integer, nullable=False),
    Column("resends", Integer, nullable=False),
    Column("verified_at", String(40)),  # as the upstream says it
    Column("result_expires_at", Double),
    Column("redeemed_at", Double),
)

# Starts with an Idempotency-Key: without a session while the first call runs.
starts = Table(
    "verify_starts",
    metadata,
    Column("key_digest", String(64), primary_key=True),
    Column("fingerprint", String(64), nullable=False),
    Column("session_id", ForeignKey("verify_sessions.id", ondelete="CASCADE"), unique=True),
    Column("claimed_at", Double, nullable=False, index=True),
)

# How far each client is ahead of its allowance: the moment at which it would be even again.
allowances = Table(
    "verify_allowances",
    metadata,
    Column("subject", String(80), primary_key=True),
    Column("even_at", Double, nullable=False, index=True),
)

# Verifications whose proof was accepted, until the proof is too old anyway.
used_proofs = Table(
    "verify_used_proofs",
    metadata,
    Column("digest", String(64), primary_key=True),
    Column("expires_at", Double, nullable=False, index=True),
)
