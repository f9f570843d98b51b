"""For developers: writes the next migration from what the tables say and the migrations don't.

``python -m messaging_service.store.new_migration "What changes"``
"""

import sys
import tempfile
from pathlib import Path

from alembic import command
from alembic.script import ScriptDirectory

from messaging_service.store.engine import open_store
from messaging_service.store.migrate import alembic_config, migrate


def write_migration(message: str) -> None:
    """Compare the tables with a store that has all migrations, and write the difference as the next one."""
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(f"sqlite:///{Path(folder) / 'compared.db'}")
        migrate(store)
        config = alembic_config()
        number = 1 + len(list(ScriptDirectory.from_config(config).walk_revisions()))
        with store.engine.connect() as connection:
            config.attributes["connection"] = connection
            command.revision(config, message=message, autogenerate=True, rev_id=f"{number:04d}")
        store.close()


if __name__ == "__main__":
    write_migration(sys.argv[1])
