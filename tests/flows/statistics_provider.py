"""A provider that only tells statistics, in the test's process."""

from collections import deque
from dataclasses import dataclass, field

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route


def told(date: str, tags: str, delivered: int, sent: int, networks: dict[str, int] | None = None) -> dict:
    """A line of ``GET /requests``."""
    stats = {
        "count_delivered": delivered,
        "count_nondelivered": sent - delivered,
        "count_sent": sent,
        "msg_sent": sent,
        "first_ts_sent": f"{date}T08:00:00.000Z",
        "last_ts_sent": f"{date}T09:00:00.250Z",
        "msg_mccmnc": {"23003": sent} if networks is None else networks,
    }
    return {"date": date, "tags": tags.split(","), "stats": stats}


@dataclass
class StatisticsProvider:
    """``lines`` by sub-account. ``faults`` are statuses of the next calls. ``asked`` are the dates of each call."""

    lines: dict[str, list[dict]] = field(default_factory=dict)
    faults: deque[int] = field(default_factory=deque)
    asked: list[list[str]] = field(default_factory=list)

    @property
    def app(self) -> Starlette:
        return Starlette(routes=[Route("/v1/requests", self.requests)])

    async def requests(self, request: Request) -> Response:
        if self.faults:
            return JSONResponse({"message": "Not now"}, self.faults.popleft())
        query = request.query_params
        dates = query["dates"].split(",")
        self.asked.append(dates)
        lines = [line for line in self.lines.get(query["subid"], []) if line["date"] in dates]
        return JSONResponse({"success": True, "requests": lines})
