"""What a provider does to a call on purpose: refuses it, or cuts its answer off."""

import httpx
from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send


def refusal_by(fault: str) -> Response | None:
    """The answer to a call of which nothing is taken."""
    if fault == "throttle":
        return JSONResponse({"message": "Too many requests"}, 429, {"retry-after": "0"})
    if fault == "unavailable":
        return JSONResponse({"message": "Try later"}, 503)
    if fault == "invalid":
        return JSONResponse({"message": "sender is not allowed.", "errors": []}, 400)
    return None


class LostAnswer(Response):
    """An answer that begins and is cut off, over a socket and without one."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        headers = [(b"content-length", b"1000")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        raise httpx.ReadError("cut")
