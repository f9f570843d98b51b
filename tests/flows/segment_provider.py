"""A provider with a marketing platform behind it, in the test's process."""

from collections.abc import Callable
from dataclasses import dataclass, field

from provider import Provider
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route


@dataclass
class SegmentProvider(Provider):
    """``segments``: name and members by id; ``objects`` are what was sent, ``on_send`` is called before and after."""

    segments: dict[str, tuple[str, list[str]]] = field(default_factory=dict)
    on_send: Callable[[], object] = dict
    objects: list[dict] = field(default_factory=list)

    @property
    def app(self) -> Starlette:
        connect = Route("/v1/connect/demo/{action}", self.connect, methods=["POST"])
        return Starlette(routes=[*super().app.routes, connect])

    async def connect(self, request: Request) -> Response:
        asked = await request.json()
        self.calls[request.path_params["action"]] += 1
        if request.path_params["action"] == "segments":
            told = [{"id": id_, "name": name} for id_, (name, _) in self.segments.items()]
            return JSONResponse({"success": True, "segments": told})
        return JSONResponse({"success": True, "recipients": self.segments[asked["segment_id"]][1]})

    async def take(self, request: Request) -> Response:
        self.on_send()
        self.objects.extend(await request.json())
        answer = await super().take(request)
        self.on_send()
        return answer
