"""What every response carries so that a browser does no more with it than it should."""

from flask import Flask, Response

from verify_service.settings import Settings

_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=(), otp-credentials=(self)",
}
_HSTS = "max-age=63072000"


def install(app: Flask, settings: Settings) -> None:
    """Put the headers on every response that doesn't say otherwise."""
    headers = _HEADERS | {"Content-Security-Policy": _policy(settings)}
    if settings.is_https:
        headers["Strict-Transport-Security"] = _HSTS

    @app.after_request
    def _add(response: Response) -> Response:
        for name, value in headers.items():
            response.headers.setdefault(name, value)
        response.headers.setdefault("Cache-Control", "no-store")
        return response


def _policy(settings: Settings) -> str:
    """Return a policy without a single ``unsafe-``: our script, our stylesheet, our calls."""
    forms = " ".join(settings.origins) or "'none'"
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; "
        f"form-action {forms}; base-uri 'none'; frame-ancestors 'none'"
    )
