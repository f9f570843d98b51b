"""Status and statistics: ``/message``, ``/messages``, ``/request``, ``/requests`` (specification 4.3).

``subid`` names a sub-account (see ``accounts/sub_accounts``); one that the key doesn't have has no messages. Dates are
UTC dates of acceptance.
"""

import asyncio
from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from interface import calls
from interface.phone_numbers import InvalidPhoneNumber, normalise
from interface.queries import MessageQuery, MessagesQuery, RequestQuery, RequestsQuery
from messaging_service.accept.filing import Filer
from messaging_service.accounts.keys import Key
from messaging_service.accounts.sub_accounts import key_named
from messaging_service.endpoints.auth import Authentication
from messaging_service.endpoints.bodies import read_required_query
from messaging_service.endpoints.cursors import read_cursor, write_cursor
from messaging_service.endpoints.problems import json_response
from messaging_service.endpoints.serving import Handlers
from messaging_service.endpoints.statistics_records import date_records, request_record
from messaging_service.endpoints.status_records import list_row, status_record
from messaging_service.store import message_lists, message_status, request_statistics, statistics
from messaging_service.store.engine import Store
from messaging_service.store.message_lists import Place

ROWS_A_PAGE = 500

Answer = dict[str, Any]


class StatusEndpoints:
    """Tells callers what became of their messages."""

    def __init__(self, authentication: Authentication, store: Store, filer: Filer) -> None:
        self._authentication = authentication
        self._store = store
        self._filer = filer

    def handlers(self) -> Handlers:
        """Return the handler of each call."""
        return {
            calls.MESSAGE_STATUS: self.message,
            calls.MESSAGES_OF_DATE: self.messages,
            calls.REQUEST_STATISTICS: self.request,
            calls.STATISTICS: self.requests,
        }

    async def message(self, request: Request) -> Response:
        """Tell the status of one message of the calling key."""
        key = await self._authentication.key_of(request)
        query = read_required_query(request, MessageQuery, "Missing id")
        return await self._answer(_message, key, query)

    async def messages(self, request: Request) -> Response:
        """List the messages of a date, a page at a time."""
        key = await self._authentication.key_of(request)
        query = read_required_query(request, MessagesQuery, "Missing date or xapikey")
        after = None if query.cursor is None else read_cursor(query.cursor)
        return await self._answer(_messages, key, query, after)

    async def request(self, request: Request) -> Response:
        """Tell the statistics of one request."""
        key = await self._authentication.key_of(request)
        query = read_required_query(request, RequestQuery, "Missing date or request_id")
        return await self._answer(_request, key, query)

    async def requests(self, request: Request) -> Response:
        """Tell the statistics of dates, by tags."""
        key = await self._authentication.key_of(request)
        query = read_required_query(request, RequestsQuery, "Missing dates")
        return await self._answer(_requests, key, query)

    async def _answer(self, ask: Callable[..., Answer], *question: object) -> Response:
        return await asyncio.to_thread(self._ask, ask, question)

    def _ask(self, ask: Callable[..., Answer], question: tuple[object, ...]) -> Response:
        self._filer.catch_up()  # a call that was answered before this one shows in it
        with self._store.reading() as connection:
            return json_response({"success": True, **ask(connection, *question)})


def _message(connection: Connection, key: Key, query: MessageQuery) -> Answer:
    found = message_status.of_key(connection, key.id, query.id)
    return {"message": None if found is None else status_record(*found)}


def _messages(connection: Connection, key: Key, query: MessagesQuery, after: Place | None) -> Answer:
    key_id = key_named(connection, key, query.subid)
    if key_id is None:
        return {"messages": [], "next_cursor": None}
    numbers = _writings(query.phone_number, key.calling_code) if query.phone_number else ()
    wanted = message_lists.Wanted(key_id, query.date.isoformat(), query.tag, numbers)
    page = message_lists.page(connection, wanted, after, ROWS_A_PAGE)
    return {
        "messages": [list_row(message) for message in page.messages],
        "next_cursor": None if page.last is None else write_cursor(page.last),
    }


def _request(connection: Connection, key: Key, query: RequestQuery) -> Answer:
    key_id = key_named(connection, key, query.subid)
    if key_id is None:
        return {"request": None}
    counted = request_statistics.of_request(connection, key_id, query.date.isoformat(), query.request_id)
    return {"request": None if counted is None else request_record(counted)}


def _requests(connection: Connection, key: Key, query: RequestsQuery) -> Answer:
    key_id = key_named(connection, key, query.subid)
    if key_id is None:
        return {"requests": []}
    dates = sorted({date.isoformat() for date in query.dates})
    wanted = statistics.Wanted(key_id, dates, query.tag)
    lines = statistics.of_dates(connection, wanted)
    return {"requests": date_records(lines, statistics.networks_of_dates(connection, wanted))}


def _writings(number: str, calling_code: str) -> tuple[str, ...]:
    """Return a number as it was asked for and in international form; an invalid one is listed as it was written."""
    try:
        return tuple({number, normalise(number, calling_code)})
    except InvalidPhoneNumber:
        return (number,)
