"""The last look before a call goes out: a process that was away for a while may have lost its right to it."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import httpx

from flows import ledger
from flows.ledger import Batch, Lease

CALLED_WITHIN_SECONDS = 2.0
"""How long after its claim a batch's call may begin; one that would begin later is claimed anew."""
_GOES_OUT = ("send_request_headers.started", "send_request_body.started")


@dataclass
class _Fence:
    """One batch that is being called, and when it was last claimed."""

    lease: Lease
    batch: Batch

    async def confirm(self) -> None:
        """Claim it anew where that was a while ago; raises what `ledger.confirm` raises."""
        if not self._is_fresh():
            self.batch = await asyncio.to_thread(ledger.confirm, self.lease, self.batch)

    async def look(self, event: str, _info: Mapping[str, Any]) -> None:
        """Stop a request that waited too long for its connection; as one that had none, it may be tried again."""
        if event.endswith(_GOES_OUT) and not self._is_fresh():
            raise httpx.ConnectTimeout("It was confirmed too long ago.")

    def _is_fresh(self) -> bool:
        return self.lease.ledger.now() - (self.batch.claimed_at or 0.0) < CALLED_WITHIN_SECONDS


_fence: ContextVar[_Fence | None] = ContextVar("fence", default=None)


@contextmanager
def fenced(lease: Lease, batch: Batch) -> Iterator[None]:
    """Let requests out for the time of the block only while the batch is this process's own."""
    before = _fence.set(_Fence(lease, batch))
    try:
        yield
    finally:
        _fence.reset(before)


async def look_before(request: httpx.Request) -> None:
    """Look whether a request may go, now and when it has its connection; for the client, before each."""
    fence = _fence.get()
    if fence is not None:
        await fence.confirm()
        request.extensions["trace"] = fence.look
