"""The inbox: ``GET /inbox`` (specification 4.3). One answer holds a date, however long; long ones are sent as read."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, time
from typing import Any

import orjson
from sqlalchemy import RowMapping
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from interface import calls
from interface.inbox import InboxQuery
from messaging_service.accounts.keys import Key
from messaging_service.accounts.opening import DEFAULT_SUBID
from messaging_service.accounts.sub_accounts import key_named
from messaging_service.clock import DAY, iso, moment
from messaging_service.endpoints.auth import Authentication
from messaging_service.endpoints.bodies import read_required_query
from messaging_service.endpoints.problems import json_response
from messaging_service.endpoints.serving import Handlers
from messaging_service.store import inbox
from messaging_service.store.engine import Store
from messaging_service.store.inbox import Part, Place

_ROWS = 1000


class InboxEndpoints:
    """Tells callers what people wrote to them."""

    def __init__(self, authentication: Authentication, store: Store) -> None:
        self._authentication = authentication
        self._store = store

    def handlers(self) -> Handlers:
        """Return the handler of the call."""
        return {calls.INBOX: self.inbox}

    async def inbox(self, request: Request) -> Response:
        """List what the calling key, or a sub-account of it, received on a UTC date."""
        key = await self._authentication.key_of(request)
        query = read_required_query(request, InboxQuery, "Missing date or xapikey")
        wanted = await asyncio.to_thread(self._wanted, key, query)
        first = [] if wanted is None else await asyncio.to_thread(self._read, wanted)
        if wanted is None or len(first) < _ROWS:
            return json_response({"success": True, "inbox": [_record(row) for row in first]})
        return StreamingResponse(self._written(wanted, first), media_type="application/json")

    def _wanted(self, key: Key, query: InboxQuery) -> Part | None:
        begin = moment(datetime.combine(query.date, time(), UTC))
        with self._store.reading() as connection:
            key_id = key_named(connection, key, query.subid or DEFAULT_SUBID)
        return None if key_id is None else Part(key_id, Place(begin), begin + DAY)

    def _read(self, wanted: Part) -> Sequence[RowMapping]:
        with self._store.reading() as connection:
            return inbox.page(connection, wanted, _ROWS)

    async def _written(self, wanted: Part, rows: Sequence[RowMapping]) -> AsyncIterator[bytes]:
        """Write an inbox whose first rows are read. One that can't be finished lacks its end."""
        begin = b'{"success":true,"inbox":['
        while rows:
            yield begin + orjson.dumps([_record(row) for row in rows])[1:-1]
            begin = b","
            wanted = wanted._replace(after=Place(rows[-1]["ts_received"], rows[-1]["id"]))
            rows = await asyncio.to_thread(self._read, wanted)
        yield b"]}"


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
