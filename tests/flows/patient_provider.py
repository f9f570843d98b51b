"""A provider that takes messages and keeps its answers back, until it is let go."""

import asyncio

from segment_provider import SegmentProvider
from starlette.requests import Request
from starlette.responses import Response


class PatientProvider(SegmentProvider):
    """Answers what it took while ``held`` only when it isn't any more."""

    held = False

    async def take(self, request: Request) -> Response:
        return await self._when_let_go(await super().take(request))

    async def upload(self, request: Request) -> Response:
        return await self._when_let_go(await super().upload(request))

    async def _when_let_go(self, answer: Response) -> Response:
        while self.held:  # noqa: ASYNC110  (another thread lets go)
            await asyncio.sleep(0.05)
        return answer
