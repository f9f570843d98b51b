"""The short links that were put into texts."""

from sqlalchemy import Column, ForeignKey, Integer, String, Table, Text, text

from messaging_service.store.tables.schema import Moment, RowId, metadata

# A row is one link in the text of one recipient, so that its code says who clicked. Nothing else is ever redirected to.
short_links = Table(
    "short_links",
    metadata,
    Column("code", String(16), primary_key=True),
    Column("message_row", RowId, ForeignKey("messages.id"), nullable=False, index=True),
    Column("target", Text, nullable=False),
    Column("expires_at", Moment, nullable=False, index=True),
    Column("clicks", Integer, nullable=False, server_default=text("0")),
    Column("previews", Integer, nullable=False, server_default=text("0")),  # by machines
)
