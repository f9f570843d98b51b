"""The ledger's tables. Times are Unix seconds, prices millionths of a unit of the currency."""

from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

metadata = MetaData()

campaigns = Table(
    "campaigns",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("name", String(200), nullable=False, unique=True),
    Column("fingerprint", String(64), nullable=False),
    Column("settings", JSON, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("asked", String(64)),
    Column("asked_by", String(36)),
    Column("revision", Integer, nullable=False),
    Column("pace", JSON, nullable=False),
    Column("source", JSON(none_as_null=True)),
    Column("approved_at", Double),
    Column("cancelled_at", Double),
)
"""``asked`` is a digest of what was asked for, by the flow run ``asked_by``; ``revision`` counts its texts, from 1.

Nothing is claimed before ``approved_at`` or from ``cancelled_at`` on.
"""

waves = Table(
    "waves",
    metadata,
    Column("campaign_id", ForeignKey("campaigns.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("opens_at", Double),
    Column("closes_at", Double),
    Column("clocks", JSON, nullable=False),
    Column("run_id", String(36)),
    Column("owner", String(64)),
    Column("lease_until", Double),
)
"""Those of a campaign whose window opens at one moment, and the lease of the process that sends to them."""

batches = Table(
    "batches",
    metadata,
    Column("id", String(48), primary_key=True),
    Column("campaign_id", ForeignKey("campaigns.id", ondelete="CASCADE"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("wave", Integer, nullable=False),
    Column("way", String(8), nullable=False),
    Column("tag", String(500), nullable=False),
    Column("state", String(16), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("first_claimed_at", Double),
    Column("claimed_at", Double),
    Column("answered_at", Double),
    Column("request_id", String(64)),
    Column("doubt", Text),
    Column("networks", JSON(none_as_null=True)),
    UniqueConstraint("campaign_id", "position", name="uq_batches_position"),
    Index("ix_batches_state", "campaign_id", "state"),
)

messages = Table(
    "messages",
    metadata,
    Column("batch_id", ForeignKey("batches.id", ondelete="CASCADE"), primary_key=True),
    Column("object_index", Integer, primary_key=True, autoincrement=False),
    Column("body", Text, nullable=False),
    Column("delivery_time", JSON(none_as_null=True)),
)

recipients = Table(
    "recipients",
    metadata,
    Column("campaign_id", ForeignKey("campaigns.id", ondelete="CASCADE"), primary_key=True),
    Column("phone_number", String(15), primary_key=True),
    Column("batch_id", ForeignKey("batches.id", ondelete="CASCADE"), nullable=False),
    Column("object_index", Integer, nullable=False),
    Column("recipient_index", Integer, nullable=False),
    Column("line", Integer, nullable=False),
    Column("message_id", String(80)),
    Column("result", String(16), nullable=False),
    Column("reason", Text),
    Column("parts", Integer, nullable=False),
    Column("price_czk", BigInteger, nullable=False),
    Column("price_eur", BigInteger, nullable=False),
    Column("updated_at", Double),
    Index("ix_recipients_batch", "batch_id"),
    Index("ix_recipients_result", "campaign_id", "result"),
)
"""One row a recipient and campaign: the primary key itself keeps anybody from being planned twice."""

turns = Table(
    "turns",
    metadata,
    Column("name", String(200), primary_key=True),
    Column("owner", String(64)),
    Column("held_until", Double),
)
"""Work that one run does at a time, by name: an account's inbox, a campaign's second try."""

inbox_marks = Table(
    "inbox_marks",
    metadata,
    Column("account", String(100), primary_key=True),
    Column("date", String(10), nullable=False),
)
"""The UTC date (``YYYY-MM-DD``) before which an account's inbox is done with."""

inbound = Table(
    "inbound",
    metadata,
    Column("account", String(100), primary_key=True),
    Column("id", String(64), primary_key=True),
    Column("date", String(10), nullable=False),
    Column("consent_at", Double),
    Column("forwarded_at", Double),
    Column("told_at", Double),
    Index("ix_inbound_date", "account", "date"),
)
"""One row an inbound message of a date that isn't done with: a digest of it, and what was done about it."""

balances = Table(
    "balances",
    metadata,
    Column("account", String(100), primary_key=True),
    Column("read_at", Double, primary_key=True),
    Column("amount", BigInteger, nullable=False),
    Column("currency", String(3), nullable=False),
    Column("level", String(16), nullable=False),
    Column("warned_at", Double),
)

resends = Table(
    "resends",
    metadata,
    Column("campaign_id", ForeignKey("campaigns.id", ondelete="CASCADE"), primary_key=True),
    Column("phone_number", String(15), primary_key=True),
    Column("resend_id", ForeignKey("campaigns.id", ondelete="CASCADE"), nullable=False),
    Index("ix_resends_resend", "resend_id"),
)
"""Who of a campaign was tried again, and in which campaign: the primary key itself lets nobody be tried twice."""

templates = Table(
    "templates",
    metadata,
    Column("account", String(100), primary_key=True),
    Column("waba_id", String(100), primary_key=True),
    Column("name", String(100), primary_key=True),
    Column("fingerprint", String(64), nullable=False),
    Column("state", String(16), nullable=False),
    Column("languages", JSON, nullable=False),
    Column("changed_at", Double, nullable=False),
)
"""Chat-app templates that a flow has created. A name is created and deleted with all its languages (section 4.3)."""

daily_statistics = Table(
    "daily_statistics",
    metadata,
    Column("account", String(100), primary_key=True),
    Column("sub_account", String(100), primary_key=True),
    Column("date", String(10), primary_key=True),
    Column("tags", String(500), primary_key=True),
    Column("network", String(16), primary_key=True),
    Column("sent", BigInteger, nullable=False),
    Column("rated", BigInteger, nullable=False),
    Column("delivered", BigInteger, nullable=False),
    Column("nondelivered", BigInteger),
    Column("notsent", BigInteger),
    Column("seen", BigInteger),
    Column("clicked", BigInteger),
    Column("replied", BigInteger),
    Column("optout", BigInteger),
    Column("parts", BigInteger),
    Column("first_sent_at", Double),
    Column("last_sent_at", Double),
)
"""One row a set of tags and UTC date with an empty ``network``, and one for each network its messages went to.

``delivered`` is of the ``rated`` messages: of a network's only those whose fate the provider tells by network.
"""

rate_drops = Table(
    "rate_drops",
    metadata,
    Column("account", String(100), primary_key=True),
    Column("sub_account", String(100), primary_key=True),
    Column("kind", String(8), primary_key=True),
    Column("subject", String(255), primary_key=True),
    Column("date", String(10), primary_key=True),
    Column("told_at", Double, nullable=False),
)
"""Drops of a tag's or a network's delivery rate that were told, so that each is told once."""

segment_syncs = Table(
    "segment_syncs",
    metadata,
    Column("name", String(100), primary_key=True),
    Column("account", String(100), nullable=False),
    Column("connector", String(255), nullable=False),
    Column("app_userid", String(255), nullable=False),
    Column("segment_id", String(255), nullable=False),
    Column("runs", Integer, nullable=False),
    Column("campaign_id", ForeignKey("campaigns.id", ondelete="SET NULL")),
    Column("synced_at", Double, nullable=False),
)
"""A segment that is followed under a name; ``campaign_id`` is that of a run that isn't finished."""

segment_members = Table(
    "segment_members",
    metadata,
    Column("sync_name", ForeignKey("segment_syncs.name", ondelete="CASCADE"), primary_key=True),
    Column("phone_number", String(15), primary_key=True),
    Column("joined_at", Double, nullable=False),
    Column("left_at", Double),
    Column("pending", String(8)),
)
"""Who is or was in a segment; ``pending`` is a change (``joined``, ``left``) for which nobody has been written to."""
