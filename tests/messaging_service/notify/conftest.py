import pytest
from notifying import NOON, MovableClock, Outbox, receiving

from messaging_service.store.engine import open_store
from messaging_service.store.tables import accounts, keys, wallets


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture
def store(store_url):
    store = open_store(store_url)
    with store.writing() as connection:
        _add_keys(connection)
    yield store
    store.close()


@pytest.fixture
def outbox(store):
    return Outbox(store, MovableClock())


@pytest.fixture
def receiver():
    with receiving() as receiver:
        yield receiver


def _add_keys(connection):
    """Key 1 signs its notifications, key 2 doesn't."""
    connection.execute(
        accounts.insert(),
        {"id": 1, "name": "Account", "calling_code": "420", "time_zone": "Europe/Prague", "created_at": NOON},
    )
    connection.execute(wallets.insert(), {"id": 1, "account_id": 1, "currency": "czk", "balance": 0})
    shared = {
        "account_id": 1,
        "wallet_id": 1,
        "hint": "",
        "scope": "full",
        "note": "",
        "default_sender": "",
        "default_callback_url": "",
        "is_blocked": False,
        "created_at": NOON,
    }
    secrets = ["callback-secret", ""]
    connection.execute(
        keys.insert(),
        [
            {"id": number, "subid": f"key-{number}", "digest": f"{number}", "default_callback_secret": secret, **shared}
            for number, secret in enumerate(secrets, start=1)
        ],
    )
