"""A small provider of the interface that fails on purpose: lost responses, throttling, lagging lists.

It is not the service: it knows just the calls that flows make, keeps what it accepted in memory, and, when run as a
program, in a file with which a test can prove what was sent.
"""

import asyncio
import gzip
import json
import os
import socket
import time
import uuid
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import httpx
from provider_faults import LostAnswer, refusal_by
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route


@dataclass
class Sent:
    """One message that the provider took."""

    message_id: str
    phone_number: str
    body: str
    tag: str
    date: str
    visible_after_looks: int
    delivery_time: dict | None = None


@dataclass
class Provider:
    """``faults`` are what happens to the next sends, one each; then everything works."""

    honours_idempotency_key: bool = False
    faults: deque[str] = field(default_factory=deque)
    upload_faults: deque[str] = field(default_factory=deque)
    list_faults: deque[int] = field(default_factory=deque)
    looks_until_listed: int = 0
    opted_out: frozenset[str] = frozenset()
    without_receipt: frozenset[str] = frozenset()
    waiting: frozenset[str] = frozenset()
    now: Callable[[], float] = time.time
    sent: list[Sent] = field(default_factory=list)
    calls: Counter[str] = field(default_factory=Counter)
    suffered: Counter[str] = field(default_factory=Counter)
    answers: dict[str, dict[str, object]] = field(default_factory=dict)
    log: Path | None = None
    seconds_a_send: float = 0.0
    has_statistics: bool = True
    has_upload_status: bool = True
    on_their_way: frozenset[str] = frozenset()
    uploads: dict[str, str] = field(default_factory=dict)
    addresses_until: dict[str, float] = field(default_factory=dict)
    prices: dict[str, object] | None = None
    credit_czk: str | None = None
    tells_lists: bool = False
    blacklisted: frozenset[str] = frozenset()

    @property
    def copies(self) -> Counter[str]:
        """How many messages each phone number got."""
        return Counter(one.phone_number for one in self.sent)

    @property
    def app(self) -> Starlette:
        return Starlette(
            routes=[
                Route("/v2/messages", self.take, methods=["POST"]),
                Route("/v1/messages", self.list_rows),
                Route("/v1/message", self.status),
                Route("/v1/requests", self.statistics),
                Route("/v1/messaging/url", self.upload_address, methods=["POST"]),
                Route("/v1/messaging/bulk", self.upload_status),
                Route("/v1/messaging/cancel", self.cancel, methods=["POST"]),
                Route("/upload/{bulk_id}", self.upload, methods=["PUT"]),
                Route("/v1/credit", self.credit),
                Route("/v1/credit/prices", self.price_list),
                Route("/v1/blacklist", self.list_address),
                Route("/v1/optout", self.list_address),
                Route("/lists{path:path}", self.download),
            ]
        )

    async def credit(self, _: Request) -> Response:
        if self.credit_czk is None:
            return JSONResponse({"message": "No such call"}, 404)
        return JSONResponse({"success": True, "credit": {"credit_czk": self.credit_czk, "currency": "CZK"}})

    async def price_list(self, _: Request) -> Response:
        if self.prices is None:
            return JSONResponse({"message": "No such call"}, 404)
        return JSONResponse({"success": True, "prices": self.prices})

    async def list_address(self, request: Request) -> Response:
        if not self.tells_lists:
            return JSONResponse({"message": "No such call"}, 404)
        if not self._list(request.url.path):
            return JSONResponse({"success": True, "message": "The list is empty."}, 404)
        return JSONResponse({"success": True, "url": f"{request.base_url}lists{request.url.path}"})

    async def download(self, request: Request) -> Response:
        numbers = "\n".join(f"{number},2026-01-01T00:00:00Z" for number in self._list(request.url.path))
        return Response(f"phone_number,ts_created\n{numbers}\n", media_type="text/csv")

    def _list(self, path: str) -> frozenset[str]:
        return self.opted_out if path.endswith("optout") else self.blacklisted

    async def take(self, request: Request) -> Response:
        self.calls["send"] += 1
        fault = self._next_of(self.faults)
        if fault == "no connection":
            raise httpx.ConnectError("refused")
        if refusal := refusal_by(fault):
            return refusal
        key = request.headers.get("idempotency-key", "")
        if self.honours_idempotency_key and key in self.answers:
            return JSONResponse(self.answers[key])
        objects = await request.json()
        await asyncio.sleep(self.seconds_a_send / 2)
        answer = self._accept(objects, fault)
        self.answers[key] = answer
        await asyncio.sleep(self.seconds_a_send / 2)
        if fault in {"lose answer", "lose answer of half"}:
            return LostAnswer()
        if fault == "fail after accepting":
            return JSONResponse({"message": "Unexpected error"}, 500)
        return JSONResponse(answer)

    async def upload_address(self, request: Request) -> Response:
        self.calls["upload address"] += 1
        bulk_id = (await request.json())["bulk_id"]
        if refusal := refusal_by(self._next_of(self.faults)):
            return refusal
        state = self.uploads.get(bulk_id)
        if state == "processing" or (state and self.now() < self.addresses_until[bulk_id]):
            return JSONResponse({"message": "This bulk_id was used for another upload; use a new one."}, 409)
        self.uploads[bulk_id], self.addresses_until[bulk_id] = "waiting_for_file", self.now() + 60
        return JSONResponse({"success": True, "url": f"{request.base_url}upload/{bulk_id}"})

    async def upload(self, request: Request) -> Response:
        self.calls["upload"] += 1
        fault = self._next_of(self.upload_faults)
        if fault == "no connection":
            raise httpx.ConnectError("refused")
        if fault == "cut":
            return LostAnswer()
        lines = gzip.decompress(await request.body()).splitlines()
        await asyncio.sleep(self.seconds_a_send / 2)
        self.uploads[request.path_params["bulk_id"]] = "processing"
        self._accept([json.loads(line) for line in lines], "")
        await asyncio.sleep(self.seconds_a_send / 2)
        if fault == "lose answer":
            return LostAnswer()
        return Response(status_code=503 if fault == "fail after accepting" else 200)

    async def cancel(self, request: Request) -> Response:
        self.calls["cancel"] += 1
        wanted = (await request.json()).get("message_id")
        meant = [one for one in self.sent if wanted and one.message_id.startswith(wanted)]
        if not meant:
            return JSONResponse({"message": "There is no such message."}, 404)
        if any(one.phone_number in self.on_their_way for one in meant):
            return JSONResponse({"message": "Not scheduled any more."}, 409)
        return JSONResponse({"success": True, "message": "Schedule cancelled"})

    async def upload_status(self, request: Request) -> Response:
        if not self.has_upload_status:
            return JSONResponse({"message": "No such call"}, 404)
        bulk_id = request.query_params["bulk_id"]
        told = {"bulk_id": bulk_id, "request_id": "r", "filetype": "gz", "ts_created": "2026-01-01T00:00:00Z"}
        return JSONResponse({"success": True, "bulk": {**told, "state": self.uploads[bulk_id]}})

    def _accept(self, objects: list[dict], fault: str) -> dict[str, object]:
        if fault == "lose answer of half":
            objects = objects[: len(objects) // 2]
        accepted, rejected = [], []
        for index, item in enumerate(objects):
            if fault == "leave out first" and index == 0:
                continue
            if fault == "reject first" and index == 0:
                rejected.append({"key": "0", "message": "body is not allowed."})
                continue
            message_id = str(uuid.uuid4())
            accepted.append({"key": str(index), "message_id": message_id})
            for position, recipient in enumerate(item["to"]):
                self._keep(f"{message_id}-{position}", recipient["phone_number"], item)
        return {"request_id": str(uuid.uuid4()), "accepted": accepted, "rejected": rejected}

    def _keep(self, message_id: str, number: str, item: dict) -> None:
        date = datetime.fromtimestamp(self.now(), UTC).date().isoformat()
        one = Sent(
            message_id, number, item["body"], item["tag"], date, self.looks_until_listed, item.get("delivery_time")
        )
        self.sent.append(one)
        if self.log:
            with self.log.open("a") as log:
                log.write(json.dumps([number, item["tag"], item["body"]]) + "\n")

    def _next_of(self, faults: deque[str]) -> str:
        fault = faults.popleft() if faults else ""
        self.suffered[fault] += 1
        return fault

    async def list_rows(self, request: Request) -> Response:
        self.calls["list"] += 1
        if self.list_faults:
            return JSONResponse({"message": "Failed to read messages"}, self.list_faults.popleft())
        query = request.query_params
        rows = []
        for one in self.sent:
            if one.tag != query["tag"] or one.date != query["date"]:
                continue
            one.visible_after_looks -= 1
            if one.visible_after_looks < 0:
                rows.append(self._row(one))
        start, size = int(query.get("cursor", 0)), 7
        following = str(start + size) if start + size < len(rows) else None
        return JSONResponse({"success": True, "messages": rows[start : start + size], "next_cursor": following})

    def _row(self, one: Sent) -> dict[str, object]:
        rejected = one.phone_number in self.opted_out | self.waiting
        undelivered = one.phone_number.endswith("9001")
        silent = one.phone_number in self.without_receipt
        return {
            "message_id": one.message_id,
            "message_parts": 1,
            "sent": int(not rejected),
            "delivered": int(not (rejected or undelivered or silent)),
            "nondelivered": int(undelivered),
            "body": one.body,
            "phone_number": one.phone_number,
            "price_czk": "0" if rejected else "0.9",
            "price_eur": "0" if rejected else "0.036",
        }

    async def statistics(self, request: Request) -> Response:
        self.calls["statistics"] += 1
        if not self.has_statistics:
            return JSONResponse({"message": "No such call"}, 404)
        query = request.query_params
        lines: dict[tuple[str, str], Counter[str]] = {}
        for one in self.sent:
            if one.date in query["dates"].split(",") and query.get("tag") in {None, one.tag}:
                lines.setdefault((one.date, one.tag), Counter()).update(self._counters(one))
        told = [
            {
                "date": date,
                "tags": tags.split(","),
                "stats": {**counted, "msg_mccmnc": {"23003": counted["count_sent"]}},
            }
            for (date, tags), counted in lines.items()
        ]
        return JSONResponse({"success": True, "requests": told})

    def _counters(self, one: Sent) -> dict[str, int]:
        row = self._row(one)
        return {
            "count_sent": row["sent"],
            "count_delivered": row["delivered"],
            "count_nondelivered": row["nondelivered"],
            "count_notsent": 1 - row["sent"],
        }

    async def status(self, request: Request) -> Response:
        self.calls["status"] += 1
        one = next((each for each in self.sent if each.message_id == request.query_params["id"]), None)
        if one is None:
            return JSONResponse({"success": True, "message": None})
        code = "304" if one.phone_number in self.opted_out else "100" if one.phone_number in self.waiting else "200"
        told = {"status_code": code, "to": {"phone_number": one.phone_number}, "request_id": "r"}
        return JSONResponse({"success": True, "message": told})


def main() -> None:
    """Run as a program: ``PROVIDER_SOCKET``, ``PROVIDER_LOG``, ``PROVIDER_HONOURS_KEY``, ``PROVIDER_FAULTS``, …"""
    import uvicorn

    provider = Provider(
        honours_idempotency_key=os.environ.get("PROVIDER_HONOURS_KEY") == "1",
        log=Path(os.environ["PROVIDER_LOG"]),
        faults=deque(filter(None, os.environ.get("PROVIDER_FAULTS", "").split(","))),
        seconds_a_send=float(os.environ.get("PROVIDER_SECONDS_A_SEND", "0")),
    )
    listener = socket.socket(fileno=int(os.environ["PROVIDER_SOCKET"]))
    uvicorn.Server(uvicorn.Config(provider.app, log_level="warning")).run([listener])


if __name__ == "__main__":
    main()
