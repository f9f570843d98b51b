"""The inbox: ``GET /inbox`` (specification 4.3)."""

import asyncio
from datetime import UTC, datetime, time
from datetime import date as date_
from typing import Any

import orjson
from sqlalchemy import RowMapping
from starlette.requests import Request
from starlette.responses import Response

from interface import calls
from interface.inbox import InboxQuery
from messaging_service.clock import DAY, iso, moment
from messaging_service.endpoints.auth import Authentication
from messaging_service.endpoints.bodies import read_required_query
from messaging_service.endpoints.problems import json_response
from messaging_service.endpoints.serving import Handlers
from messaging_service.store import inbox
from messaging_service.store.engine import Store


class InboxEndpoints:
    """Tells callers what people wrote to them."""

    def __init__(self, authentication: Authentication, store: Store) -> None:
        self._authentication = authentication
        self._store = store

    def handlers(self) -> Handlers:
        """Return the handler of the call."""
        return {calls.INBOX: self.inbox}

    async def inbox(self, request: Request) -> Response:
        """List what the calling key received on a UTC date."""
        key = await self._authentication.key_of(request)
        query = read_required_query(request, InboxQuery, "Missing date or xapikey")
        return await asyncio.to_thread(self._list, key.id, query.date)

    def _list(self, key_id: int, date: date_) -> Response:
        begin = moment(datetime.combine(date, time(), UTC))
        with self._store.reading() as connection:
            rows = inbox.of_key(connection, key_id, begin, begin + DAY)
        return json_response({"success": True, "inbox": [_record(row) for row in rows]})


def _record(row: RowMapping) -> dict[str, Any]:
    """Return an inbound message as callers read it (2.8)."""
    return {
        "ts_received": iso(row["ts_received"]),
        "body": row["body"],
        "from": row["sender"],
        "to": row["recipient"],
        "gateway": row["gateway"],
        "payload": None if row["payload"] is None else orjson.loads(row["payload"]),
    }
