"""A key that was blocked or changed is so at once, in every process that answers calls."""

import asyncio
import threading
import tracemalloc

import pytest
from running_service import run_beside
from sqlalchemy import text
from typer.testing import CliRunner

from interface.calls import KEY_HEADER
from messaging_service.accounts.keys import KeyRing
from messaging_service.clock import SystemClock
from messaging_service.commands import app


class NoChanges:
    def latest(self):
        return 0


@pytest.fixture
def elsewhere(service, monkeypatch):
    """A client of another process that answers calls, and that hears what is announced, however busy the machine."""
    monkeypatch.setattr("messaging_service.store.key_changes._ANSWERED_WITHIN_SECONDS", 20.0)
    with run_beside(service) as client:
        service.wait_until(lambda: service.store.is_sqlite or listening(service) == 2)
        yield client


def listening(service):
    """Return how many processes listen on a PostgreSQL store."""
    listeners = text(
        "SELECT count(*) FROM pg_stat_activity"
        " WHERE datname = current_database() AND query = 'LISTEN dovecote_keys' AND state = 'idle'"
    )
    with service.store.reading() as connection:
        return connection.execute(listeners).scalar_one()


def me(client, key):
    return client.get("/v1/apikey/me", headers={KEY_HEADER: key})


def remember(client, key):
    """Have a process remember a key."""
    assert me(client, key).status_code == 200


def test_a_key_blocked_in_one_process_is_refused_by_the_other(service, elsewhere):
    secret = service.api.post("/v1/apikey/add", json={}).json()["apikey"]
    remember(elsewhere, secret)

    service.api.post("/v1/apikey/change", json={"apikey": secret, "disable": 1})

    assert [me(client, secret).status_code for client in (elsewhere, service.api)] == [401, 401]


def test_settings_changed_in_one_process_hold_in_the_other(service, elsewhere):
    remember(elsewhere, service.key)

    service.api.post("/v1/apikey/update", json={"default_callback_url": "", "note": "changed"})

    assert me(elsewhere, service.key).json()["me"]["note"] == "changed"


def test_a_key_disabled_on_the_command_line_is_refused(service, elsewhere):
    secret = service.api.post("/v1/apikey/add", json={}).json()["apikey"]
    remember(elsewhere, secret)

    result = CliRunner().invoke(app, ["keys", "disable", "sub-1", "--database", service.settings.database])

    assert result.exit_code == 0, result.output
    assert me(elsewhere, secret).status_code == 401


def test_a_long_text_in_place_of_a_key_is_not_remembered(service_on_sqlite):
    async def find(ring):
        await ring.find("x" * 1_000_000)

    ring = KeyRing(service_on_sqlite.store, SystemClock(), NoChanges())
    tracemalloc.start()
    asyncio.run(find(ring))
    remembered, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert remembered < 500_000


def test_keys_are_read_outside_the_event_loop(service_on_sqlite):
    read_in = []

    class Store:
        def reading(self):
            read_in.append(threading.current_thread())
            return service_on_sqlite.store.reading()

    async def find_often():
        ring = KeyRing(Store(), SystemClock(), NoChanges())
        return await asyncio.gather(*(ring.find(service_on_sqlite.key) for _ in range(20)))

    found = asyncio.run(find_often())

    assert len({key.id for key in found}) == 1
    assert len(read_in) == 1
    assert threading.main_thread() not in read_in
