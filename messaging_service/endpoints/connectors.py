"""Marketing platforms: ``/connect/{connector}/{action}`` (specification 4.3, details "connector")."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

import orjson
import structlog
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from interface import calls
from interface.connectors import ConnectorAction, ConnectorRequest
from interface.field_errors import FieldError
from messaging_service.connectors.kit.asking import Asking, Question
from messaging_service.connectors.kit.connector import CredentialsRefused
from messaging_service.endpoints.auth import Authentication
from messaging_service.endpoints.bodies import parse, read_body
from messaging_service.endpoints.problems import json_response
from messaging_service.endpoints.serving import Handlers
from messaging_service.refusals import InvalidRequest, NotFound, Refusal

_UNSUPPORTED = "Unsupported connector or action"
_LONGEST_ANSWER_SECONDS: Final = 900.0
_SIGN_OF_LIFE_SECONDS: Final = 5.0

log = structlog.get_logger(__name__)


class ConnectorEndpoint:
    """Passes questions on to the connectors."""

    def __init__(self, authentication: Authentication, asking: Asking) -> None:
        self._authentication = authentication
        self._asking = asking

    def handlers(self) -> Handlers:
        """Return the handler of the call."""
        return {calls.CONNECT: self.connect}

    async def connect(self, request: Request) -> Response:
        """Answer with what the platform says, or with its refusal."""
        key = await self._authentication.key_of(request)
        body = await read_body(request, calls.Content.JSON)
        name = request.path_params["connector"]
        connector, action = self._asking.connector(name), _action(request.path_params["action"])
        if connector is None or action is None:
            raise NotFound(_UNSUPPORTED)
        wanted = parse(body, ConnectorRequest)
        question = Question(name, connector, key, wanted.app_userid)
        try:
            if action is ConnectorAction.RECIPIENTS:
                return await self._recipients(question, wanted.segment_id)
            return json_response({"success": True, **await self._asking.ask(question, action)})
        except CredentialsRefused as refused:
            return json_response({"success": False, "message": str(refused)})

    async def _recipients(self, question: Question, segment_id: str | None) -> Response:
        if segment_id is None:
            raise InvalidRequest([FieldError("segment_id", "segment_id is required.")])
        pages = self._asking.recipients(question, segment_id)
        first: list[str] = await anext(pages, [])  # whatever can be refused is refused before the answer begins
        return _Recipients(first, pages)


def _action(text: str) -> ConnectorAction | None:
    return next((action for action in ConnectorAction if action.value == text), None)


class _Recipients(StreamingResponse):
    """Writes recipients as they come. One that fails on the way is cut off, so that nobody takes it for whole."""

    def __init__(self, first: list[str], pages: AsyncGenerator[list[str]]) -> None:
        self._pages = pages
        self._content = _written(first, pages)
        super().__init__(self._content, media_type="application/json")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, within a time."""
        async with aclosing(self._pages), aclosing(self._content):
            try:
                async with asyncio.timeout(_LONGEST_ANSWER_SECONDS):
                    await super().__call__(scope, receive, send)
            except (Refusal, CredentialsRefused, TimeoutError) as problem:
                log.warning("connector.answer-cut-off", reason=type(problem).__name__)


async def _written(first: list[str], pages: AsyncGenerator[list[str]]) -> AsyncGenerator[bytes]:
    yield b'{"success":true,"recipients":['
    page: list[str] | None = first
    separator = b""
    while page is not None:
        if page:
            yield separator + orjson.dumps(page)[1:-1]
            separator = b","
        coming = asyncio.ensure_future(anext(pages, None))
        try:
            while not (await asyncio.wait({coming}, timeout=_SIGN_OF_LIFE_SECONDS))[0]:
                yield b" "  # callers don't wait for ever for the next byte
            page = coming.result()
        finally:
            coming.cancel()
            await asyncio.wait({coming})
    yield b"]}"
