"""A real service for tests: the real application behind a real HTTP server, in a thread of this process."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import httpx
from serving_in_threads import serving

from interface.calls import KEY_HEADER
from messaging_service.accounts.keys import digest, hint
from messaging_service.accounts.money import UNIT
from messaging_service.accounts.opening import Opening, open_account
from messaging_service.application import Application
from messaging_service.clock import Milliseconds, SystemClock
from messaging_service.running.one_write import OneWriteProtocol
from messaging_service.settings import Role, Settings
from messaging_service.store import keys
from messaging_service.store.engine import Store, open_store
from messaging_service.store.migrate import migrate
from messaging_service.store.tables import keys as key_table

KEY = "the-key-of-the-first-account-0001"
VERIFICATION_KEY = "the-verification-key-of-the-tests-01"
_PATIENCE_SECONDS = 20.0


class MovableClock(SystemClock):
    """The machine's clock, moved on by a test."""

    def __init__(self) -> None:
        self._ahead: Milliseconds = 0

    def now(self) -> Milliseconds:
        return super().now() + self._ahead

    def move(self, milliseconds: Milliseconds) -> None:
        self._ahead += milliseconds


@dataclass
class RunningService:
    """``url`` is its root, ``api`` a client that carries ``key``, the first account's."""

    url: str
    key: str
    store: Store
    clock: MovableClock
    settings: Settings
    _to_close: ExitStack

    @cached_property
    def api(self) -> httpx.Client:
        return self.client(self.key)

    def client(self, key: str | None) -> httpx.Client:
        """Return a client that carries a key, or none."""
        headers = {KEY_HEADER: key} if key else {}
        return self._to_close.enter_context(
            httpx.Client(base_url=self.url, headers=headers, timeout=_PATIENCE_SECONDS),
        )

    def open_account(self, key: str, **opening: Any) -> int:
        """Open another account with this key. Returns the key's number."""
        given = {"name": "Another account", "currency": "czk", "credit": 1000 * UNIT} | opening
        given = {"calling_code": "420", "default_sender": "Another"} | given
        with self.store.writing() as connection:
            return open_account(connection, Opening(**given), key, self.clock.now())

    def add_key(self, key: str, **values: Any) -> int:
        """Add a key below the first account's that shares its account and wallet. Returns the key's number."""
        of_parent = key_table.select().where(key_table.c.digest == digest(self.key))
        with self.store.writing() as connection:
            parent = dict(connection.execute(of_parent).mappings().one())
            given = {"parent_id": parent.pop("id"), "subid": "sub", "digest": digest(key), "hint": hint(key)}
            return keys.add_key(connection, parent | given | values)

    def wait_until(self, is_so: Callable[[], Any]) -> Any:
        """Return what ``is_so`` returns as soon as it is true; fail after a while."""
        ends = time.monotonic() + _PATIENCE_SECONDS
        while not (found := is_so()):
            if time.monotonic() > ends:
                raise AssertionError("what the test waits for didn't happen")
            time.sleep(0.01)
        return found

    def wait_for_status(self, message_id: str, **expected: str) -> dict[str, Any]:
        """Return the status record of a message of the first account once it has these values."""

        def reached() -> dict[str, Any] | None:
            record = self.api.get("/v1/message", params={"id": message_id}).json()["message"]
            return record if record and all(record[name] == value for name, value in expected.items()) else None

        return self.wait_until(reached)


@contextmanager
def run_service(database_url: str, folder: Any, **settings: Any) -> Iterator[RunningService]:
    """Run the service with a first account, and with an operator whose receipts come at once."""
    given = {"database": database_url, "operator_database": f"sqlite:///{folder}/operator.db", "operator_delay": "0-1"}
    given |= {"verification_key": VERIFICATION_KEY}
    configured = Settings(**(given | {"api_key": KEY} | settings))
    store, clock = open_store(database_url), MovableClock()
    migrate(store)
    with store.writing() as connection:
        open_account(connection, Opening("First account", "czk", 1000 * UNIT, "420", "Dovecote"), KEY, clock.now())
    with (
        closing(store),
        _serving(Application(configured, store, clock)) as url,
        ExitStack() as to_close,
    ):
        yield RunningService(url, KEY, store, clock, configured, to_close)


@contextmanager
def run_beside(service: RunningService) -> Iterator[httpx.Client]:
    """Run one more service that only answers calls, as another process of it does. Yields a client without a key."""
    settings = service.settings.model_copy(update={"role": Role.API})
    with (
        closing(open_store(settings.database)) as store,
        _serving(Application(settings, store, service.clock)) as url,
        httpx.Client(base_url=url, timeout=_PATIENCE_SECONDS) as client,
    ):
        yield client


def _serving(application: Application) -> AbstractContextManager[str]:
    return serving(application.asgi, http=OneWriteProtocol, timeout_graceful_shutdown=5)
