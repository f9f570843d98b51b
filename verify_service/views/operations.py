"""What operations ask: ``/healthz``, ``/readyz`` and ``/metrics``."""

import structlog
from flask import Blueprint, Response, jsonify, make_response, request
from sqlalchemy.exc import SQLAlchemyError

from verify_service import measures
from verify_service.clients import is_direct_from
from verify_service.database import Store
from verify_service.migrations import NewerSchema
from verify_service.problems import Problem
from verify_service.settings import Settings

log = structlog.get_logger(__name__)


def blueprint(settings: Settings, store: Store) -> Blueprint:
    """Return the routes."""
    calls = Blueprint("operations", __name__)

    @calls.get("/healthz")
    def alive() -> Response:
        return jsonify({"status": "ok"})

    @calls.get("/readyz")
    def ready() -> Response:
        try:
            is_ready = store.is_ready()
        except (SQLAlchemyError, NewerSchema) as error:
            log.warning("store.not_ready", why=type(error).__name__)
            is_ready = False
        if is_ready:
            return jsonify({"status": "ok"})
        return make_response(jsonify({"status": "the store isn't ready"}), 503)

    @calls.get("/metrics")
    def metrics() -> Response:
        # Browsers reach this port too: only who stands directly before it on a listed network may look.
        if "X-Forwarded-For" in request.headers or not is_direct_from(request.remote_addr or "", settings.metrics_from):
            raise Problem("no-such-address")
        return Response(measures.exposition(), content_type="text/plain; version=0.0.4; charset=utf-8")

    return calls
