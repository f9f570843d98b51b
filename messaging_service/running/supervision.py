"""Keeps the loops of a process running, and stops them in order."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Protocol

import structlog

_RESTART_AFTER_SECONDS = 1.0

log = structlog.get_logger(__name__)


class Loop(Protocol):
    """A step that works until it is cancelled."""

    async def run(self) -> None:
        """Work until cancelled."""
        ...


@asynccontextmanager
async def running(loops: Mapping[str, Loop]) -> AsyncIterator[None]:
    """Run loops while the block runs. One that fails is logged and started again; what it had claimed comes back."""
    tasks = [asyncio.create_task(_keep_running(name, loop), name=name) for name, loop in loops.items()]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _keep_running(name: str, loop: Loop) -> None:
    while True:
        try:
            await loop.run()
        except Exception:
            log.exception("step.failed", step=name)
            await asyncio.sleep(_RESTART_AFTER_SECONDS)
