"""Run by Alembic, on the connection and in the transaction that ``bring_up_to_date`` began."""

from alembic import context

from verify_service.migrations import VERSION_TABLE
from verify_service.tables import metadata

context.configure(
    connection=context.config.attributes["connection"], target_metadata=metadata, version_table=VERSION_TABLE
)
context.run_migrations()
