"""For whoever runs the service: ``/healthz``, ``/readyz``, ``/metrics``. They take no key and name nobody."""

import asyncio
from collections.abc import Iterator
from typing import Any

import structlog
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector
from sqlalchemy.exc import SQLAlchemyError
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from messaging_service.clock import Clock, Milliseconds
from messaging_service.endpoints.problems import json_response
from messaging_service.running import measures
from messaging_service.store import backlog, callbacks
from messaging_service.store.backlog import Waiting
from messaging_service.store.engine import Store
from messaging_service.store.migrate import NewerSchema, is_current


def _path_item(summary: str, responses: dict[str, str]) -> dict[str, Any]:
    answers = {status: {"description": description} for status, description in responses.items()}
    return {"get": {"tags": ["operation"], "summary": summary, "security": [], "responses": answers}}


PATH_ITEMS = {
    "/healthz": _path_item("Whether the process lives", {"200": "It does."}),
    "/readyz": _path_item("Whether the service can work", {"200": "It can.", "503": "It can't; `message` says why."}),
    "/metrics": _path_item("What was counted, in the Prometheus text format", {"200": "The counts."}),
}
"""The pages as the OpenAPI document describes them."""

log = structlog.get_logger(__name__)


class HealthPages:
    """Tells whether the process lives, whether it can work, and how much there is to do."""

    def __init__(self, store: Store, clock: Clock, notice: str) -> None:
        self._store = store
        self._notice = notice
        self._backlog = Backlog(store, clock)

    def routes(self) -> list[Route]:
        """Return the routes of the pages."""
        return [
            Route("/healthz", self.alive),
            Route("/readyz", self.ready),
            Route("/metrics", self.metrics),
        ]

    async def alive(self, _request: Request) -> Response:
        """Answer, which is all that is asked."""
        return json_response({"status": "alive"})

    async def ready(self, _request: Request) -> Response:
        """Tell whether the store can be reached and has this version's schema; 503 with the reason when not."""
        reason = await asyncio.to_thread(self._why_not_ready)
        operator = {"operator": "simulated", "notice": self._notice}
        if reason:
            return json_response({"status": "not ready", "message": reason, **operator}, 503)
        return json_response({"status": "ready", **operator})

    async def metrics(self, _request: Request) -> Response:
        """Tell what was counted, in the Prometheus text format."""
        text = await asyncio.to_thread(measures.exposition, self._backlog)
        return Response(text, headers={"content-type": CONTENT_TYPE_LATEST})

    def _why_not_ready(self) -> str | None:
        try:
            with self._store.reading() as connection:
                return None if is_current(connection) else "The store's schema is older than this version's."
        except NewerSchema as problem:
            return str(problem)
        except SQLAlchemyError as problem:  # its text may hold the address of the store
            log.warning("store.unreachable", exc_info=problem)
            return "The store can't be reached."


class Backlog(Collector):
    """Measures the backlog in the store whenever it is asked, so that every process tells the same."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Return what waits, and for how long."""
        now = self._clock.now()
        with self._store.reading() as connection:
            due = backlog.due_messages(connection, now)
            pending = backlog.pending_deliveries(connection)
            failed = callbacks.count_failed(connection)
        waiting = GaugeMetricFamily("dovecote_messages_waiting", "Messages that are due, by queue.", labels=["queue"])
        age = GaugeMetricFamily("dovecote_messages_waiting_seconds", "Age of the oldest of them.", labels=["queue"])
        for queue, found in due.items():
            waiting.add_metric([queue], found.number)
            age.add_metric([queue], _age(found, now))
        yield from (waiting, age)
        yield GaugeMetricFamily("dovecote_callbacks_pending", "Deliveries of notifications to come.", pending.number)
        yield GaugeMetricFamily("dovecote_callbacks_pending_seconds", "Age of the oldest of them.", _age(pending, now))
        yield GaugeMetricFamily("dovecote_callbacks_failed", "Deliveries given up, kept for replay.", failed)


def _age(waiting: Waiting, now: Milliseconds) -> float:
    return 0.0 if waiting.since is None else max(0, now - waiting.since) / 1000
