"""The key by which the flows of this machine call its service, kept in a file that only its owner can read."""

import os
from pathlib import Path

from messaging_service.accounts.administration import SubAccount, create_sub_account
from messaging_service.accounts.keys import new_secret
from messaging_service.clock import SystemClock
from messaging_service.settings import Settings
from messaging_service.store import keys
from messaging_service.store.engine import open_store
from messaging_service.store.migrate import migrate

SUB_ACCOUNT = SubAccount("flows", "Prefect flows of this machine")


def kept_key(file: Path, settings: Settings) -> str:
    """Return the key in ``file``. When there is none yet, write one: the first account's, or a sub-account's."""
    if file.exists():
        return file.read_text().strip()
    secret = _key_of_store(settings) or (settings.api_key.get_secret_value() if settings.api_key else new_secret())
    file.parent.mkdir(parents=True, exist_ok=True)
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as opened:
        opened.write(f"{secret}\n")
    return secret


def _key_of_store(settings: Settings) -> str | None:
    """Make a key in a store that has an account already; a new store gets its first key when the service starts."""
    if settings.database.startswith("sqlite:///") and not Path(settings.database.removeprefix("sqlite:///")).exists():
        return None
    store = open_store(settings.database)
    try:
        migrate(store)
        with store.writing() as connection:
            if not keys.any_exist(connection):
                return None
            return create_sub_account(connection, SUB_ACCOUNT, SystemClock().now()).secret
    finally:
        store.close()
