"""The key by which the flows of this machine call its service, kept in a file that only its owner can read."""

import os
from pathlib import Path

from messaging_service.accounts.administration import SubAccount, create_sub_account
from messaging_service.accounts.keys import new_secret
from messaging_service.clock import SystemClock
from messaging_service.store import keys
from messaging_service.store.engine import open_store
from messaging_service.store.migrate import migrate

SUB_ACCOUNT = SubAccount("flows", "Prefect flows of this machine")


def kept_key(file: Path, database: str, wanted: str | None = None) -> str:
    """Return the key in ``file``, writing one when there is none yet.

    A store that has accounts gives a new sub-account's key. For a new store it is the ``wanted`` one, else a new one,
    that the service takes for its first account.
    """
    if file.exists():
        return file.read_text().strip()
    secret = _key_of_store(database) or wanted or new_secret()
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as opened:
        opened.write(f"{secret}\n")
    return secret


def _key_of_store(database: str) -> str | None:
    if database.startswith("sqlite:///") and not Path(database.removeprefix("sqlite:///")).exists():
        return None
    store = open_store(database)
    try:
        migrate(store)
        with store.writing() as connection:
            if not keys.any_exist(connection):
                return None
            return create_sub_account(connection, SUB_ACCOUNT, SystemClock().now()).secret
    finally:
        store.close()
