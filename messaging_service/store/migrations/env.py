"""Runs migrations on the connection that ``store/migrate`` passes."""

from alembic import context

from messaging_service.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table="schema_version",
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
