"""Bulk upload, cancelling, checking: ``/messaging/…`` (specification 4.2, details "bulk")."""

import asyncio
from dataclasses import dataclass
from typing import Any

import orjson
from sqlalchemy import RowMapping
from starlette.requests import Request
from starlette.responses import Response

from interface import calls
from interface.bulk import BulkCancel, BulkQuery, BulkState, BulkUpload
from messaging_service.bulk.checking import Checker
from messaging_service.bulk.uploads import Uploads
from messaging_service.cancel import Cancelling
from messaging_service.clock import iso, iso_or_none
from messaging_service.endpoints.auth import Authentication
from messaging_service.endpoints.bodies import read_body, read_model, read_query
from messaging_service.endpoints.bulk_files import UPLOAD_PATH
from messaging_service.endpoints.problems import json_response
from messaging_service.endpoints.serving import Handlers
from messaging_service.refusals import NotSetUp

_NOT_SET_UP = "Bulk upload is not set up: with PostgreSQL, DOVECOTE_BULK_FOLDER must name a folder of all processes."


@dataclass(frozen=True, slots=True)
class BulkCalls:
    """What does the work; ``uploads`` is None where the service has no folder for files."""

    uploads: Uploads | None
    cancelling: Cancelling
    checker: Checker


class BulkEndpoints:
    """Gives addresses for files, tells how far they are, cancels what is scheduled, checks without sending."""

    def __init__(self, authentication: Authentication, bulk: BulkCalls, public_url: str) -> None:
        self._authentication = authentication
        self._bulk = bulk
        self._public_url = public_url

    def handlers(self) -> Handlers:
        """Return the handler of each call."""
        return {
            calls.BULK_URL: self.url,
            calls.BULK_CANCEL: self.cancel,
            calls.BULK_VALIDATE: self.validate,
            calls.BULK_STATUS: self.status,
        }

    async def url(self, request: Request) -> Response:
        """Give an address to which a file can be PUT once, within a minute."""
        key = await self._authentication.key_of(request)
        wanted = await read_model(request, BulkUpload)
        token = await asyncio.to_thread(self._set_up().open, key, wanted)
        base = self._public_url or str(request.base_url)
        return json_response({"success": True, "url": base.rstrip("/") + UPLOAD_PATH.format(token=token)})

    async def cancel(self, request: Request) -> Response:
        """Cancel a scheduled upload or message."""
        key = await self._authentication.key_of(request)
        wanted = await read_model(request, BulkCancel)
        await asyncio.to_thread(self._bulk.cancelling.cancel, key.id, wanted)
        return json_response({"success": True, "message": "Schedule cancelled"})

    async def validate(self, request: Request) -> Response:
        """Check one message or 1 to 10 without sending."""
        key = await self._authentication.key_of(request)
        body = await read_body(request, calls.Content.JSON)
        verdict = await asyncio.to_thread(self._bulk.checker.check, key, body)
        return json_response({"success": True, "validate": verdict})

    async def status(self, request: Request) -> Response:
        """Tell how far an upload is."""
        key = await self._authentication.key_of(request)
        query = read_query(request, BulkQuery)
        row = await asyncio.to_thread(self._set_up().find, key, query.bulk_id)
        return json_response({"success": True, "bulk": None if row is None else _status(row)})

    def _set_up(self) -> Uploads:
        if self._bulk.uploads is None:
            raise NotSetUp(_NOT_SET_UP)
        return self._bulk.uploads


def _status(row: RowMapping) -> dict[str, Any]:
    return {
        "bulk_id": row["bulk_id"],
        "request_id": row["request_id"],
        "state": row["state"],
        "filetype": row["filetype"],
        "datetime": iso_or_none(row["scheduled_for"]),
        "lines": row["lines"],
        "accepted": row["accepted"],
        "rejected": row["rejected"],
        "errors": orjson.loads(row["errors"]),
        "percentage": _percentage(row),
        "ts_created": iso(row["created_at"]),
        "ts_received": iso_or_none(row["received_at"]),
        "ts_finished": iso_or_none(row["finished_at"]),
    }


def _percentage(row: RowMapping) -> float:
    if row["state"] == BulkState.DONE:
        return 100.0
    return round(100 * row["position"] / row["size"], 1) if row["size"] else 0.0
