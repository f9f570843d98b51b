"""Which pages may call: this service's own and those of the listed origins, exactly; never ``*``, never ``null``."""

from flask import Flask, Request, Response, make_response, request

from verify_service.problems import Problem
from verify_service.settings import Settings

BINDING_HEADER = "Dovecote-Binding"
SECRET_HEADER = "Dovecote-Session-Secret"  # noqa: S105 - the name of a header
IDEMPOTENCY_HEADER = "Idempotency-Key"
_REQUEST_HEADERS = f"Content-Type, {IDEMPOTENCY_HEADER}, {BINDING_HEADER}, {SECRET_HEADER}"
_ASKED_METHOD = "Access-Control-Request-Method"
_PREFLIGHT_SECONDS = "600"


class Origins:
    """The origins that may call from a browser."""

    def __init__(self, settings: Settings) -> None:
        self._allowed = settings.own_origins | frozenset(settings.origins)
        self._listed = frozenset(settings.origins)

    def require_allowed(self, request: Request) -> None:
        """Refuse what a page elsewhere sent; apps and back ends name no origin. Raises Problem (``origin-refused``)."""
        origin = request.headers.get("Origin")
        if origin is not None and origin not in self._allowed:
            raise Problem("origin-refused")

    def may_return_to(self, origin: str) -> bool:
        """Whether the hosted page may hand its result to a page of an origin."""
        return origin in self._listed

    def install(self, app: Flask, shared_prefix: str) -> None:
        """Answer preflights, and mark the answers below ``shared_prefix`` that listed origins may read."""

        @app.before_request
        def _preflight() -> Response | None:
            if request.method != "OPTIONS" or _ASKED_METHOD not in request.headers:
                return None
            self.require_allowed(request)
            response = make_response("", 204)
            del response.headers["Content-Type"]
            return response

        @app.after_request
        def _mark(response: Response) -> Response:
            response.vary.add("Origin")
            if request.path.startswith(shared_prefix):
                self._allow(response, request.headers.get("Origin"))
            return response

    def _allow(self, response: Response, origin: str | None) -> None:
        if origin is None or origin not in self._allowed:
            return
        headers = response.headers
        headers["Access-Control-Allow-Origin"] = origin
        headers["Access-Control-Allow-Credentials"] = "true"
        headers["Access-Control-Expose-Headers"] = "Retry-After"
        if request.method == "OPTIONS":
            headers["Access-Control-Allow-Methods"] = "POST"
            headers["Access-Control-Allow-Headers"] = _REQUEST_HEADERS
            headers["Access-Control-Max-Age"] = _PREFLIGHT_SECONDS
