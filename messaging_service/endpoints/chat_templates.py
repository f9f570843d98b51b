"""Templates of messaging apps: ``/chatapp/templates/…``, and the same below ``/whatsapp/`` (specification 4.3)."""

import asyncio
from typing import Any

from sqlalchemy import RowMapping
from starlette.requests import Request
from starlette.responses import Response

from interface import calls
from interface.chat_templates import TemplateCreate, TemplateDelete, TemplatesQuery
from messaging_service.channels.chat_app.platform import TemplateRefused
from messaging_service.channels.chat_app.templates import Templates
from messaging_service.clock import iso
from messaging_service.endpoints.auth import Authentication
from messaging_service.endpoints.bodies import read_model, read_query
from messaging_service.endpoints.problems import json_response
from messaging_service.endpoints.serving import Handlers


class ChatTemplateEndpoints:
    """Creates, deletes and lists the templates of the calling key's account."""

    def __init__(self, authentication: Authentication, templates: Templates) -> None:
        self._authentication = authentication
        self._templates = templates

    def handlers(self) -> Handlers:
        """Return the handler of each call."""
        return {
            calls.CHAT_TEMPLATE_CREATE: self.create,
            calls.CHAT_TEMPLATE_DELETE: self.delete,
            calls.CHAT_TEMPLATES: self.list,
        }

    async def create(self, request: Request) -> Response:
        """Make a template from the platform's library."""
        key = await self._authentication.settings_key_of(request)
        wanted = await read_model(request, TemplateCreate)
        try:
            created = await self._templates.create(key.account_id, wanted)
        except TemplateRefused as refusal:
            return _refused(refusal)
        told = {"template_id": created.template_id, "status": created.status, "category": created.category}
        return json_response({"success": True, **told})

    async def delete(self, request: Request) -> Response:
        """Delete a template in all its languages."""
        key = await self._authentication.settings_key_of(request)
        wanted = await read_model(request, TemplateDelete)
        try:
            await self._templates.delete(key.account_id, wanted)
        except TemplateRefused as refusal:
            return _refused(refusal)
        return json_response({"success": True, "message": f"Template {wanted.template_name} deleted"})

    async def list(self, request: Request) -> Response:
        """List the templates with where their approval is."""
        key = await self._authentication.key_of(request)
        query = read_query(request, TemplatesQuery)
        rows = await asyncio.to_thread(self._templates.of_account, key.account_id, query)
        return json_response({"success": True, "templates": [_record(row) for row in rows]})


def _refused(refusal: TemplateRefused) -> Response:
    return json_response({"success": False, "message": str(refusal)})


def _record(row: RowMapping) -> dict[str, Any]:
    names = ("template_id", "waba_id", "name", "language", "category", "status", "reason", "library_template_name")
    return {
        **{name: row[name] for name in names},
        "parameters": {"body": row["body_count"], "header": row["header_count"], "buttons": row["button_count"]},
        "ts_created": iso(row["created_at"]),
        "ts_updated": iso(row["updated_at"]),
    }
