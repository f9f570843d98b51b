"""The opt-out list and the blacklist: ``/optout``, ``/blacklist`` (specification 4.3)."""

import asyncio
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from interface import calls
from interface.account import ListSubmission
from messaging_service.accounts.submissions import Submissions
from messaging_service.endpoints.auth import Authentication
from messaging_service.endpoints.bodies import MIB, read_model
from messaging_service.endpoints.problems import json_response
from messaging_service.endpoints.serving import Handlers
from messaging_service.store.suppressions import BLACKLIST, OPT_OUT

MAX_LIST_BODY: Final = 4 * MIB
"""Room for 200,000 numbers in one call."""


class ListEndpoints:
    """Takes numbers that are to get nothing, or nothing promotional."""

    def __init__(self, authentication: Authentication, submissions: Submissions) -> None:
        self._authentication = authentication
        self._submissions = submissions

    def handlers(self) -> Handlers:
        """Return the handler of each call."""
        return {calls.OPT_OUT: self.opt_out, calls.BLACKLIST: self.blacklist}

    async def opt_out(self, request: Request) -> Response:
        """Add numbers that are to get nothing promotional."""
        return await self._add(request, OPT_OUT)

    async def blacklist(self, request: Request) -> Response:
        """Add numbers that are to get nothing."""
        return await self._add(request, BLACKLIST)

    async def _add(self, request: Request, name: str) -> Response:
        key = await self._authentication.settings_key_of(request)
        submission = await read_model(request, ListSubmission, MAX_LIST_BODY)
        taken = await asyncio.to_thread(self._submissions.add, key, name, submission)
        return json_response({"success": True, "accepted": taken.accepted, "invalid": taken.invalid})
