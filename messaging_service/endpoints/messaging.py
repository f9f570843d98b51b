"""The messaging API v2: ``/message``, ``/message/priority``, ``/messages`` (specification 4.1)."""

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response

from interface import calls
from messaging_service.accept.acceptor import Acceptor
from messaging_service.accept.planning import Caller
from messaging_service.endpoints.auth import Authentication
from messaging_service.endpoints.bodies import idempotent_call, read_body
from messaging_service.endpoints.problems import raw_json_response
from messaging_service.endpoints.serving import Handlers
from messaging_service.idempotency import IdempotentCall
from messaging_service.schedule import PRIORITY

Accept = Callable[[Caller, bytes, IdempotentCall | None], Awaitable[bytes]]


class MessagingEndpoints:
    """Hands the bodies of sending calls to phase 1."""

    def __init__(self, authentication: Authentication, acceptor: Acceptor) -> None:
        self._authentication = authentication
        self._acceptor = acceptor

    def handlers(self) -> Handlers:
        """Return the handler of each call."""
        return {calls.SEND: self.send, calls.SEND_PRIORITY: self.send_priority, calls.SEND_MANY: self.send_many}

    async def send(self, request: Request) -> Response:
        """Send one message to 1 to 10 recipients."""
        return await self._send(request, self._acceptor.accept_message, None)

    async def send_priority(self, request: Request) -> Response:
        """Send one message through the priority queue, whatever its tag."""
        return await self._send(request, self._acceptor.accept_message, PRIORITY)

    async def send_many(self, request: Request) -> Response:
        """Send 1 to 10 message objects."""
        return await self._send(request, self._acceptor.accept_messages, None)

    async def _send(self, request: Request, accept: Accept, queue: int | None) -> Response:
        key = await self._authentication.key_of(request)
        body = await read_body(request, calls.Content.JSON)
        call = idempotent_call(request, key, body)
        return raw_json_response(await accept(self._acceptor.caller(key, queue), body, call))
