"""``/chatapp/webhook``: what a platform like the WhatsApp Cloud API reports, on disk before it is answered."""

import asyncio
import hashlib
import hmac
from collections.abc import Callable

import structlog
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from messaging_service.channels.chat_app.cloud_settings import CloudAccess
from messaging_service.clock import Clock
from messaging_service.store import chat_app_events
from messaging_service.store.engine import Store

PATH = "/chatapp/webhook"
SIGNATURE_HEADER = "x-hub-signature-256"
LARGEST = 3 * 1024 * 1024
"""Bytes of a report, as the platform says."""

log = structlog.get_logger(__name__)


class ChatAppWebhook:
    """Takes signed reports down. A worker reads them: the platform is answered before anything is made of them."""

    def __init__(self, access: CloudAccess, store: Store, clock: Clock, on_taken: Callable[[], None]) -> None:
        self._access = access
        self._store = store
        self._clock = clock
        self._on_taken = on_taken

    def routes(self) -> list[Route]:
        """Return the routes of the webhook."""
        return [Route(PATH, self.confirm, methods=["GET"]), Route(PATH, self.take, methods=["POST"])]

    async def confirm(self, request: Request) -> Response:
        """Answer the platform's question whether this address is ours."""
        query = request.query_params
        given = query.get("hub.verify_token", "")
        if query.get("hub.mode") != "subscribe" or not _same(given, self._access.verify_token):
            return PlainTextResponse("Wrong verify token.", 403)
        return PlainTextResponse(query.get("hub.challenge", ""), headers={"x-content-type-options": "nosniff"})

    async def take(self, request: Request) -> Response:
        """Keep a report, if the platform signed it."""
        body = await _read(request)
        if body is None:
            return PlainTextResponse("Too large.", 413)
        signature = hmac.new(self._access.secret, body, hashlib.sha256).hexdigest()
        if not _same(request.headers.get(SIGNATURE_HEADER, ""), f"sha256={signature}"):
            log.warning("chat-app.wrong-signature")
            return PlainTextResponse("Wrong signature.", 403)
        try:
            text = body.decode()
        except UnicodeDecodeError:
            return PlainTextResponse("Not UTF-8.", 400)
        await asyncio.to_thread(self._keep, text.replace("\x00", ""))
        self._on_taken()
        return PlainTextResponse("")

    def _keep(self, body: str) -> None:
        with self._store.writing() as connection:
            chat_app_events.add(connection, body, self._clock.now())


def _same(given: str, right: str) -> bool:
    return hmac.compare_digest(given.encode(), right.encode())


async def _read(request: Request) -> bytes | None:
    """Return the body, None as soon as it is known to be too large."""
    body = bytearray()
    try:
        async for piece in request.stream():
            body += piece
            if len(body) > LARGEST:
                return None
    except ClientDisconnect:
        return b""
    return bytes(body)
