"""A provider with an opt-out list and a blacklist, in the test's process."""

from collections import Counter, deque
from dataclasses import dataclass, field

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route


@dataclass
class ListsProvider:
    """``lists`` are sets of numbers by path; ``faults`` are statuses of the next calls that change one."""

    lists: dict[str, set[str]] = field(default_factory=lambda: {"optout": set(), "blacklist": set()})
    header: str = "phone_number,subid,added\n"
    calls: Counter[str] = field(default_factory=Counter)
    faults: deque[int] = field(default_factory=deque)
    files: dict[str, str] = field(default_factory=dict)

    @property
    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/v1/{name}", self.address, methods=["GET"]),
                Route("/v1/{name}", self.add, methods=["POST"]),
                Route("/v1/{name}", self.remove, methods=["DELETE"]),
                Route("/download/{name}", self.download),
                Route("/files/{name}", self.file),
            ]
        )

    async def address(self, request: Request) -> Response:
        name = request.path_params["name"]
        if not self.lists[name]:
            return JSONResponse({"success": True, "message": "The list is empty."}, 404)
        return JSONResponse({"success": True, "url": f"{request.base_url}download/{name}?signature=secret"})

    async def download(self, request: Request) -> Response:
        numbers = sorted(self.lists[request.path_params["name"]])
        return PlainTextResponse(self.header + "".join(f"{number},default,2026-03-01\n" for number in numbers))

    async def file(self, request: Request) -> Response:
        return PlainTextResponse(self.files[request.path_params["name"]])

    async def add(self, request: Request) -> Response:
        self.calls["add"] += 1
        if self.faults:
            return JSONResponse({"message": "Not now"}, self.faults.popleft())
        numbers = (await request.json())["to"].split("\n")
        self.lists[request.path_params["name"]].update(numbers)
        return JSONResponse({"success": True, "accepted": len(numbers), "invalid": []})

    async def remove(self, request: Request) -> Response:
        self.calls["remove"] += 1
        name = request.path_params["name"]
        numbers = set((await request.json())["to"].split("\n"))
        self.lists[name] -= numbers
        removed = {"removed": len(numbers), "remaining": len(self.lists[name]), "invalid": []}
        return JSONResponse({"success": True, name: removed})
