"""Partners and their apps: ``/partner/signup``, ``/push/device``, ``/recipient/register`` (details, "partner")."""

import asyncio
from typing import Any

from sqlalchemy import RowMapping
from starlette.requests import Request
from starlette.responses import Response

from interface import calls
from interface.partner import PartnerSignup, PushDevice, RecipientRegister
from messaging_service.clock import iso
from messaging_service.endpoints.auth import Authentication
from messaging_service.endpoints.bodies import read_model
from messaging_service.endpoints.problems import json_response
from messaging_service.endpoints.serving import Handlers
from messaging_service.endpoints.signup_pages import SIGNUP_PATH
from messaging_service.partners.apps import Apps, Registered
from messaging_service.partners.signups import Signups


class PartnerEndpoints:
    """Begins signups, registers devices and recipients."""

    def __init__(self, authentication: Authentication, signups: Signups, apps: Apps, public_url: str) -> None:
        self._authentication = authentication
        self._signups = signups
        self._apps = apps
        self._public_url = public_url

    def handlers(self) -> Handlers:
        """Return the handler of each call."""
        return {
            calls.PARTNER_SIGNUP: self.signup,
            calls.PUSH_DEVICE: self.device,
            calls.RECIPIENT_REGISTER: self.recipient,
        }

    async def signup(self, request: Request) -> Response:
        """Give an address at which a customer confirms."""
        key = await self._authentication.settings_key_of(request)
        begun = self._signups.begin(key, await read_model(request, PartnerSignup))
        base = (self._public_url or str(request.base_url)).rstrip("/")
        answer = {
            "success": True,
            "token": begun.token,
            "redirect_url": base + SIGNUP_PATH.format(token=begun.token),
            "app_userid": begun.app_userid,
            "ts_expires": iso(begun.expires_at),
        }
        return json_response(answer)

    async def device(self, request: Request) -> Response:
        """Register a device."""
        key = await self._authentication.key_of(request)
        device = await read_model(request, PushDevice)
        row = await asyncio.to_thread(self._apps.register_device, key, device)
        return json_response({"success": True, "device": _device(row)})

    async def recipient(self, request: Request) -> Response:
        """Register a recipient."""
        key = await self._authentication.key_of(request)
        wanted = await read_model(request, RecipientRegister)
        registered = await asyncio.to_thread(self._apps.register_recipient, key, wanted)
        return json_response({"success": True, "recipient": _recipient(registered)})


def _device(row: RowMapping) -> dict[str, Any]:
    return {
        "device_id": row["device_id"],
        "platform": row["platform"],
        "reachable": bool(row["token"]),
        "ts_registered": iso(row["created_at"]),
    }


def _recipient(registered: Registered) -> dict[str, Any]:
    row = registered.recipient
    return {
        "recipient_id": row["recipient_id"],
        "phone_number": row["phone_number"],
        "name": row["name"],
        "device_ids": registered.device_ids,
        "ts_registered": iso(row["created_at"]),
    }
