"""A provider with an inbox and an opt-out list, and the operator's own webhook, in the test's process."""

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route


@dataclass
class InboxProvider:
    """``inbox`` holds rows by date. ``faults`` are statuses of the next calls, by path. ``on_call`` sees each call."""

    inbox: dict[str, list[dict]] = field(default_factory=dict)
    opted_out: list[str] = field(default_factory=list)
    opted_in: list[str] = field(default_factory=list)
    handed_on: list[dict] = field(default_factory=list)
    request_ids: list[str] = field(default_factory=list)
    headers: list[str] = field(default_factory=list)
    dates: list[str] = field(default_factory=list)
    calls: Counter[str] = field(default_factory=Counter)
    faults: dict[str, deque[int]] = field(default_factory=dict)
    on_call: Callable[[str], object] = str

    @property
    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/v1/inbox", self.read),
                Route("/v1/optout", self.opt_out, methods=["POST"]),
                Route("/v1/optout", self.opt_in, methods=["DELETE"]),
                Route("/hook", self.take, methods=["POST"]),
            ]
        )

    async def read(self, request: Request) -> Response:
        if refused := self._fault(request):
            return refused
        self.dates.append(request.query_params["date"])
        return self._answer(request, {"success": True, "inbox": self.inbox.get(request.query_params["date"], [])})

    async def opt_out(self, request: Request) -> Response:
        if refused := self._fault(request):
            return refused
        numbers = (await request.json())["to"].split("\n")
        valid = [number for number in numbers if number.isdigit()]
        self.opted_out.extend(valid)
        invalid = [number for number in numbers if number not in valid]
        return self._answer(request, {"success": True, "accepted": len(valid), "invalid": invalid})

    async def opt_in(self, request: Request) -> Response:
        numbers = (await request.json())["to"].split("\n")
        self.opted_in.extend(numbers)
        removed = {"removed": len(numbers), "remaining": 0, "invalid": []}
        return self._answer(request, {"success": True, "optout": removed})

    async def take(self, request: Request) -> Response:
        if refused := self._fault(request):
            return refused
        self.handed_on.extend(await request.json())
        self.request_ids.append(request.headers["x-request-id"])
        self.headers.append(request.headers.get("authorization", ""))
        return self._answer(request, {})

    def _fault(self, request: Request) -> Response | None:
        path = request.url.path
        self.calls[path] += 1
        waiting = self.faults.get(path)
        return JSONResponse({"message": "Not now"}, waiting.popleft()) if waiting else None

    def _answer(self, request: Request, body: dict) -> Response:
        self.on_call(request.url.path)
        return JSONResponse(body)
