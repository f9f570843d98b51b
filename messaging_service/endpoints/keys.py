"""The calling key: ``/apikey/me``, ``/apikey/update`` (specification 4.3)."""

import asyncio
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from interface import calls
from interface.account import ApikeyUpdate
from interface.flow_steps import Channel
from messaging_service.accounts.keys import Key
from messaging_service.endpoints.auth import Authentication
from messaging_service.endpoints.bodies import read_model
from messaging_service.endpoints.problems import json_response
from messaging_service.endpoints.serving import Handlers
from messaging_service.store import keys
from messaging_service.store.engine import Store
from messaging_service.store.key_changes import KeyChanges


class KeyEndpoints:
    """Tells and changes the settings of the calling key."""

    def __init__(self, authentication: Authentication, changes: KeyChanges, store: Store) -> None:
        self._authentication = authentication
        self._changes = changes
        self._store = store

    def handlers(self) -> Handlers:
        """Return the handler of each call."""
        return {calls.APIKEY_ME: self.me, calls.APIKEY_UPDATE: self.update}

    async def me(self, request: Request) -> Response:
        """Tell the key's settings and whose it is."""
        return json_response({"success": True, "me": _me(await self._authentication.key_of(request))})

    async def update(self, request: Request) -> Response:
        """Change settings; an empty text deletes a value, an optional one that is absent stays."""
        key = await self._authentication.settings_key_of(request)
        settings = await read_model(request, ApikeyUpdate)
        await asyncio.to_thread(self._change, key, settings.model_dump(exclude_none=True))
        return json_response({"success": True})

    def _change(self, key: Key, values: dict[str, Any]) -> None:
        with self._store.writing() as connection:
            keys.change(connection, key.id, values)
        self._changes.announce()


def _me(key: Key) -> dict[str, Any]:
    return {
        "note": key.note,
        "default_callback_url": key.default_callback_url,
        "account": key.account,
        "scope": key.scope.value,
        "share_senders": False,
        "is_blocked": key.is_blocked,
        "senders": _senders(key.default_sender),
        "vat": None,
        "currency": key.currency.upper(),
        "tz": key.time_zone,
    }


def _senders(default_sender: str) -> list[dict[str, str]]:
    if not default_sender:
        return []
    return [{"flow": Channel.SMS.value, "value": default_sender, "name": default_sender}]
