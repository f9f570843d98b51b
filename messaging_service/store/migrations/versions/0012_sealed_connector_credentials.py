"""What accounts show marketing platforms, sealed. The key isn't here: what stood open goes, and is given again."""

from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Apply."""
    op.execute("DELETE FROM connector_credentials")
    op.execute("ALTER TABLE connector_credentials RENAME COLUMN secret TO sealed")
