"""To which networks a batch's messages went."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the column."""
    op.add_column("batches", sa.Column("networks", sa.JSON))
