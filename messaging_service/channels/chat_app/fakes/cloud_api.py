"""A fake of the WhatsApp Cloud API, as far as Dovecote speaks it: messages, templates, and webhooks that it signs."""

import hashlib
import hmac
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from itertools import count
from time import time
from typing import Any, Final

import httpx
import orjson
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

VERSION: Final = "v23.0"
"""The first part of every path."""
Json = dict[str, Any]
Endpoint = Callable[[Request], Awaitable[Response]]

_UNDELIVERABLE: Final = {"code": 131026, "title": "Message undeliverable"}
_STATUSES: Final[Mapping[str, tuple[str, ...]]] = {
    "9001": ("sent", "failed"),
    "9003": ("sent",),
    "9008": ("failed",),
    "9009": ("sent", "delivered", "read"),
}
"""What becomes of messages, by the end of the number; every other one is sent and delivered."""


def error(status: int, code: int, message: str, details: str | None = None) -> Response:
    """Return an error as the platform words it."""
    data = {} if details is None else {"error_data": {"messaging_product": "whatsapp", "details": details}}
    told = {"message": f"(#{code}) {message}", "type": "OAuthException", "code": code, **data, "fbtrace_id": "fake"}
    return JSONResponse({"error": told}, status)


@dataclass
class FakeCloudApi:
    """The platform for one app, whose token is ``token``; ``secret`` signs webhooks to ``webhook``, if that is set.

    ``phones`` are the numbers of its phone number ids. ``taken`` are the messages so far, ``templates`` those made, by
    id; ``will_answer`` are responses given before anything else, one a message, where a None lets a message through.
    """

    token: str
    secret: str
    phones: Mapping[str, str]
    webhook: str | None = None
    taken: list[Json] = field(default_factory=list)
    templates: dict[str, Json] = field(default_factory=dict)
    will_answer: deque[Response | None] = field(default_factory=deque)
    approves: bool = True
    _numbers: "count[int]" = field(default_factory=count)

    def application(self) -> Starlette:
        """Return the platform as an ASGI application."""
        templates = f"/{VERSION}/{{waba_id}}/message_templates"
        return Starlette(
            routes=[
                Route(f"/{VERSION}/{{phone}}/messages", self._guarded(self._take), methods=["POST"]),
                Route(templates, self._guarded(self._create), methods=["POST"]),
                Route(templates, self._guarded(self._delete), methods=["DELETE"]),
                Route(f"/{VERSION}/{{template_id}}", self._guarded(self._template), methods=["GET"]),
            ],
        )

    def _guarded(self, endpoint: Endpoint) -> Endpoint:
        async def guarded(request: Request) -> Response:
            if request.headers.get("authorization") != f"Bearer {self.token}":
                return error(401, 190, "Invalid OAuth access token")
            return await endpoint(request)

        return guarded

    async def _take(self, request: Request) -> Response:
        answer = self.will_answer.popleft() if self.will_answer else None
        if answer is not None:
            return answer
        phone = request.path_params["phone"]
        message = orjson.loads(await request.body())
        if phone not in self.phones:
            return error(400, 100, "Invalid parameter", "Unknown phone number id")
        if str(message.get("to", "")).endswith("9002"):
            return error(400, 131042, "Business eligibility payment issue", "There is a payment method issue")
        wamid = f"wamid.FAKE{next(self._numbers)}"
        self.taken.append({**message, "id": wamid, "phone": phone})
        contact = {"input": message["to"], "wa_id": message["to"]}
        told = {"messaging_product": "whatsapp", "contacts": [contact], "messages": [{"id": wamid}]}
        return JSONResponse(told, background=BackgroundTask(self._report_fate, self.taken[-1]))

    async def _report_fate(self, message: Json) -> None:
        for status in _STATUSES.get(message["to"][-4:], ("sent", "delivered")):
            await self.report(message, status, _UNDELIVERABLE if status == "failed" else None)

    async def report(self, message: Json, status: str, problem: Json | None = None) -> int | None:
        """Tell the webhook of a message's status. Returns the answer's status."""
        told = {
            "id": message["id"],
            "status": status,
            "timestamp": str(int(time())),
            "recipient_id": message["to"],
            "biz_opaque_callback_data": message.get("biz_opaque_callback_data"),
        }
        return await self._tell(
            message["phone"], {"statuses": [told if problem is None else told | {"errors": [problem]}]}
        )

    async def write(self, number: str, phone: str, text: str) -> int | None:
        """Have a person write to a business. Returns the status with which the webhook answers."""
        message = {"from": number, "id": f"wamid.HERE{next(self._numbers)}", "timestamp": str(int(time()))}
        return await self._tell(phone, {"messages": [message | {"type": "text", "text": {"body": text}}]})

    async def change(self, template_id: str, status: str) -> int | None:
        """Change a template's status, as when people complain about it. Returns the answer's status."""
        self.templates[template_id]["status"] = status
        value = {"event": status, "message_template_id": int(template_id), "reason": "NONE"}
        return await self._post_change("message_template_status_update", value)

    async def _tell(self, phone: str, value: Json) -> int | None:
        metadata = {"display_phone_number": self.phones[phone], "phone_number_id": phone}
        whole = {"messaging_product": "whatsapp", "metadata": metadata, **value}
        return await self._post_change("messages", whole)

    async def _post_change(self, field: str, value: Json) -> int | None:
        entry = {"id": "1", "changes": [{"field": field, "value": value}]}
        return await self.post(orjson.dumps({"object": "whatsapp_business_account", "entry": [entry]}))

    async def post(self, body: bytes) -> int | None:
        """Sign and post the body of an event. Returns the answer's status, None without a webhook."""
        if self.webhook is None:
            return None
        signature = hmac.new(self.secret.encode(), body, hashlib.sha256).hexdigest()
        headers = {"content-type": "application/json", "x-hub-signature-256": f"sha256={signature}"}
        async with httpx.AsyncClient(timeout=10) as http:
            return (await http.post(self.webhook, content=body, headers=headers)).status_code

    async def _create(self, request: Request) -> Response:
        wanted = orjson.loads(await request.body())
        same = {"name": wanted["name"], "language": wanted["language"], "waba_id": request.path_params["waba_id"]}
        if any(same.items() <= template.items() for template in self.templates.values()):
            return error(400, 100, "Invalid parameter", "There is already content in this language")
        template_id = str(10**15 + next(self._numbers))
        button = {"type": "URL", "text": "Open", "url": "https://shop.example/{{1}}"}
        components = [{"type": "BODY", "text": "Hello {{1}}, {{2}}."}, {"type": "BUTTONS", "buttons": [button]}]
        self.templates[template_id] = {**wanted, **same, "status": "PENDING", "components": components}
        return JSONResponse({"id": template_id, "status": "PENDING", "category": wanted["category"]})

    async def _template(self, request: Request) -> Response:
        template = self.templates.get(request.path_params["template_id"])
        if template is None:
            return error(404, 100, "Unsupported get request")
        if template["status"] == "PENDING":
            rejected = {"status": "REJECTED", "rejected_reason": "PROMOTIONAL"}
            template |= {"status": "APPROVED"} if self.approves else rejected
        return JSONResponse({"id": request.path_params["template_id"], **template})

    async def _delete(self, request: Request) -> Response:
        named = {"name": request.query_params.get("name"), "waba_id": request.path_params["waba_id"]}
        found = [each for each, template in self.templates.items() if named.items() <= template.items()]
        if not found:
            return error(404, 100, "Invalid parameter", "Message template not found")
        for template_id in found:
            del self.templates[template_id]
        return JSONResponse({"success": True})
