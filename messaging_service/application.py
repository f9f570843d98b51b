"""Wires everything: the only place that knows all parts."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager

import structlog
from starlette.applications import Starlette
from starlette.routing import BaseRoute

from messaging_service.accept.acceptor import Acceptor
from messaging_service.accounts.keys import KeyRing
from messaging_service.accounts.prices import read_prices
from messaging_service.channels.channel import Receipt, WayOut
from messaging_service.clock import Clock
from messaging_service.endpoints.auth import Authentication
from messaging_service.endpoints.messaging import MessagingEndpoints
from messaging_service.endpoints.serving import problem_handlers, routes
from messaging_service.endpoints.simple import SimpleEndpoints
from messaging_service.housekeeping import Housekeeping
from messaging_service.operators import channels_to_repeat, open_operator_records, ways_out
from messaging_service.process.decide import Rules
from messaging_service.process.hand_over import HandOver
from messaging_service.process.phase_two import PhaseTwo
from messaging_service.process.worker import Worker
from messaging_service.settings import Role, Settings
from messaging_service.store import messages
from messaging_service.store.engine import Store
from messaging_service.supervision import Loop, running
from messaging_service.track import Tracker
from messaging_service.waking import Waker

log = structlog.get_logger(__name__)


class Application:
    """The service over one open, migrated store: an ASGI application, and the loops that run beside it."""

    def __init__(self, settings: Settings, store: Store, clock: Clock) -> None:
        self._settings = settings
        self._store = store
        self._clock = clock
        self._loops: dict[str, Loop] = {}
        self._to_wake: list[Waker] = []
        self._to_close: list[Store] = []
        endpoints: list[BaseRoute] = []
        if settings.role is not Role.WORKER:
            endpoints += self._build_api()
        if settings.role is not Role.API:
            self._build_worker()
        self.asgi = Starlette(routes=endpoints, exception_handlers=problem_handlers(), lifespan=self._lifespan)

    def _build_api(self) -> list[BaseRoute]:
        authentication = Authentication(KeyRing(self._store, self._clock))
        acceptor = Acceptor(self._store, self._clock, self._wake)
        self._loops["accept"] = acceptor
        return [
            *routes(MessagingEndpoints(authentication, acceptor).handlers()),
            *routes(SimpleEndpoints(authentication, acceptor).handlers()),
        ]

    def _build_worker(self) -> None:
        records = open_operator_records(self._settings)
        self._to_close.append(records)
        tracker = Tracker(self._store, self._clock)

        async def on_receipts(receipts: Sequence[Receipt]) -> None:
            await asyncio.to_thread(tracker.record, receipts)
            self._wake()

        ways = ways_out(self._settings, records, self._clock, on_receipts)
        rules = Rules(
            read_prices(self._settings.prices),
            self._settings.identical_limit,
            channels_to_repeat(self._settings, ways),
        )
        phase_two = PhaseTwo(self._store, self._clock, rules)
        worker = Worker(self._store, self._clock, phase_two, HandOver(tracker, ways, self._wake))
        self._to_wake.append(worker.waker)
        self._loops |= {"process": worker, "housekeeping": Housekeeping(self._store, self._clock)}
        self._loops |= {f"operator-{index}": way_out for index, way_out in enumerate(_distinct(ways.values()))}

    def _wake(self) -> None:
        """Have the loops of this process look for work: something was written that may be due for them."""
        for waker in self._to_wake:
            waker.wake()

    @asynccontextmanager
    async def _lifespan(self, _app: Starlette) -> AsyncIterator[None]:
        if self._settings.role is not Role.API and self._store.is_sqlite:
            self._take_over()
        async with running(self._loops):
            yield
        for store in self._to_close:
            store.close()

    def _take_over(self) -> None:
        """Go on at once with what the worker before was handing over: a SQLite store has one worker."""
        with self._store.writing() as connection:
            count = messages.release_in_doubt(connection, self._clock.now())
        if count:
            log.info("process.took-over", messages=count)


def _distinct(ways: Iterable[WayOut]) -> list[WayOut]:
    return list({id(way_out): way_out for way_out in ways}.values())
