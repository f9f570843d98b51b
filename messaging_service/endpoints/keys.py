"""The calling key and its sub-keys: ``/apikey/…`` (specification 2.9, 4.3, details "keys")."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import RowMapping
from starlette.requests import Request
from starlette.responses import Response

from interface import calls
from interface.account import ApikeyUpdate
from interface.flow_steps import Channel
from interface.keys import ApikeyAdd, ApikeyChange
from messaging_service.accounts.keys import Key
from messaging_service.accounts.sub_keys import SubKeys
from messaging_service.clock import iso
from messaging_service.endpoints.auth import Authentication
from messaging_service.endpoints.bodies import read_model
from messaging_service.endpoints.problems import json_response
from messaging_service.endpoints.serving import Handlers
from messaging_service.store import keys, orders, sub_keys
from messaging_service.store.engine import Store
from messaging_service.store.key_changes import KeyChanges


@dataclass(frozen=True, slots=True)
class KeyCalls:
    """What does the work; ``vat`` is in percent, None where no invoices are issued."""

    store: Store
    sub_keys: SubKeys
    changes: KeyChanges
    vat: float | None


class KeyEndpoints:
    """Tells and changes the settings of the calling key and of its sub-keys."""

    def __init__(self, authentication: Authentication, doing: KeyCalls) -> None:
        self._authentication = authentication
        self._keys = doing

    def handlers(self) -> Handlers:
        """Return the handler of each call."""
        return {
            calls.APIKEY_ME: self.me,
            calls.APIKEY_UPDATE: self.update,
            calls.APIKEY_ADD: self.add,
            calls.APIKEY_LIST: self.list,
            calls.APIKEY_CHANGE: self.change,
        }

    async def me(self, request: Request) -> Response:
        """Tell the key's settings and whose it is."""
        key = await self._authentication.key_of(request)
        return json_response({"success": True, "me": await asyncio.to_thread(self._me, key)})

    def _me(self, key: Key) -> dict[str, Any]:
        with self._keys.store.reading() as connection:
            share_senders = sub_keys.shares_senders(connection, key.id)
            ordered = orders.senders_of(connection, key.id)
        told = {"share_senders": share_senders, "senders": _senders(key, ordered), "vat": self._keys.vat}
        return _me(key) | told

    async def update(self, request: Request) -> Response:
        """Change settings; an empty text deletes a value, an optional one that is absent stays."""
        key = await self._authentication.settings_key_of(request)
        settings = await read_model(request, ApikeyUpdate)
        await asyncio.to_thread(self._change, key, settings.model_dump(exclude_none=True))
        return json_response({"success": True})

    async def add(self, request: Request) -> Response:
        """Make a sub-key, or tell again the one that the ``app_userid`` has."""
        key = await self._authentication.settings_key_of(request)
        wanted = await read_model(request, ApikeyAdd)
        told = await asyncio.to_thread(self._keys.sub_keys.add, key, wanted)
        return json_response({"success": True, "apikey": told.secret, "billing_id": told.billing_id})

    async def list(self, request: Request) -> Response:
        """Tell the sub-keys, the oldest first."""
        key = await self._authentication.key_of(request)
        rows = await asyncio.to_thread(self._keys.sub_keys.list, key)
        return json_response({"success": True, "list": [_sub_key(row, key) for row in rows]})

    async def change(self, request: Request) -> Response:
        """Change the scope of a sub-key, block it, or let it call again."""
        key = await self._authentication.settings_key_of(request)
        wanted = await read_model(request, ApikeyChange)
        await asyncio.to_thread(self._change_child, key, wanted)
        return json_response({"success": True})

    def _change_child(self, key: Key, wanted: ApikeyChange) -> None:
        self._keys.sub_keys.change(key, wanted)
        self._keys.changes.announce()

    def _change(self, key: Key, values: dict[str, Any]) -> None:
        with self._keys.store.writing() as connection:
            keys.change(connection, key.id, values)
        self._keys.changes.announce()


def _me(key: Key) -> dict[str, Any]:
    return {
        "note": key.note,
        "default_callback_url": key.default_callback_url,
        "account": key.account,
        "scope": key.scope.value,
        "is_blocked": key.is_blocked,
        "currency": key.currency.upper(),
        "tz": key.time_zone,
    }


def _sub_key(row: RowMapping, parent: Key) -> dict[str, Any]:
    shared = row["wallet_id"] == parent.wallet_id
    return {
        "apikey": row["hint"],
        "subid": row["subid"],
        "note": row["note"],
        "scope": row["scope"],
        "shared": shared,
        "share_senders": row["share_senders"],
        "is_blocked": row["is_blocked"],
        "default_callback_url": row["default_callback_url"],
        "currency": row["currency"].upper(),
        "billing_id": None if shared else row["billing_id"],
        "app_userid": row["app_userid"],
        "ts_created": iso(row["created_at"]),
    }


def _senders(key: Key, ordered: Iterable[RowMapping]) -> list[dict[str, str]]:
    """Return the default sender, then those that were ordered."""
    default = [(Channel.SMS.value, key.default_sender)] if key.default_sender else []
    senders = dict.fromkeys([*default, *((row["flow"], row["value"]) for row in ordered)])
    return [{"flow": flow, "value": value, "name": value} for flow, value in senders]
