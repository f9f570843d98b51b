"""The opt-out list and the blacklist: ``/optout``, ``/blacklist`` (specification 4.3, details "lists")."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from interface import calls
from interface.account import ListSubmission
from interface.lists import ListQuery, ListRemoval
from messaging_service.accounts.downloads import Downloads
from messaging_service.accounts.submissions import Submissions
from messaging_service.endpoints.auth import Authentication
from messaging_service.endpoints.bodies import MIB, read_model, read_query
from messaging_service.endpoints.list_files import LIST_PATH
from messaging_service.endpoints.problems import json_response
from messaging_service.endpoints.serving import Handler, Handlers
from messaging_service.store.suppressions import BLACKLIST, OPT_OUT

MAX_LIST_BODY: Final = 4 * MIB
"""Room for 200,000 numbers in one call."""
ListHandler = Callable[[Request, str], Awaitable[Response]]
"""A handler that is told which list."""
_EMPTY = {"success": True, "message": "The list is empty."}


class ListEndpoints:
    """Takes numbers that are to get nothing, or nothing promotional; gives them back, and lets them go."""

    def __init__(
        self, authentication: Authentication, submissions: Submissions, downloads: Downloads, public_url: str
    ) -> None:
        self._authentication = authentication
        self._submissions = submissions
        self._downloads = downloads
        self._public_url = public_url

    def handlers(self) -> Handlers:
        """Return the handler of each call."""
        return {
            calls.OPT_OUT: self._of(OPT_OUT, self._add),
            calls.BLACKLIST: self._of(BLACKLIST, self._add),
            calls.OPT_OUT_ADDRESS: self._of(OPT_OUT, self._address),
            calls.BLACKLIST_ADDRESS: self._of(BLACKLIST, self._address),
            calls.OPT_OUT_REMOVE: self._of(OPT_OUT, self._remove),
            calls.BLACKLIST_REMOVE: self._of(BLACKLIST, self._remove),
        }

    @staticmethod
    def _of(name: str, handler: ListHandler) -> Handler:
        async def handle(request: Request) -> Response:
            return await handler(request, name)

        return handle

    async def _add(self, request: Request, name: str) -> Response:
        """Put numbers on a list."""
        key = await self._authentication.settings_key_of(request)
        submission = await read_model(request, ListSubmission, MAX_LIST_BODY)
        taken = await asyncio.to_thread(self._submissions.add, key, name, submission)
        return json_response({"success": True, "accepted": taken.accepted, "invalid": taken.invalid})

    async def _address(self, request: Request, name: str) -> Response:
        """Give an address from which a list can be downloaded within a minute."""
        key = await self._authentication.key_of(request)
        query = read_query(request, ListQuery)
        listed = await asyncio.to_thread(self._submissions.listed, key, name, query.subid)
        token = await asyncio.to_thread(self._downloads.open, key, listed)
        if token is None:
            return json_response(_EMPTY, 404)
        base = self._public_url or str(request.base_url)
        return json_response({"success": True, "url": base.rstrip("/") + LIST_PATH.format(token=token)})

    async def _remove(self, request: Request, name: str) -> Response:
        """Take numbers, or all, off a list."""
        key = await self._authentication.settings_key_of(request)
        removal = await read_model(request, ListRemoval, MAX_LIST_BODY)
        if removal.all:
            await asyncio.to_thread(self._submissions.wipe, key, name, removal.subid)
            return json_response({"success": True, name: {"wiped": True}})
        taken = await asyncio.to_thread(self._submissions.remove, key, name, removal)
        counts = {"removed": taken.removed, "remaining": taken.remaining, "invalid": taken.invalid}
        return json_response({"success": True, name: counts})
