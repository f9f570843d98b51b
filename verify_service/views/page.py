"""The hosted page and the element: plain files, and one small template."""

from importlib.resources import files
from typing import Any
from urllib.parse import urlsplit

from flask import Blueprint, Response, make_response, render_template_string, request

from verify_service import texts
from verify_service.origins import Origins

_PAGE = files("verify_service").joinpath("page")
_SCRIPT = "text/javascript; charset=utf-8"
_TYPES = {
    "verify.js": _SCRIPT,
    "hosted.js": _SCRIPT,
    "hosted.css": "text/css; charset=utf-8",
    "icon.svg": "image/svg+xml",
}
_CACHED = "public, max-age=300"


def blueprint(origins: Origins) -> Blueprint:
    """Return the routes."""
    pages = Blueprint("page", __name__)
    template = _PAGE.joinpath("verify.html").read_text(encoding="utf-8")
    contents = {name: _PAGE.joinpath(name).read_bytes() for name in _TYPES}

    @pages.get("/")
    def page() -> Response:
        language = texts.choose(request.accept_languages)
        back = request.args.get("return", "")
        is_allowed = not back or _may_return(back, origins)
        values: dict[str, Any] = {"language": language, "labels": texts.page(language)}
        values |= {"back": back, "purpose": request.args.get("purpose", ""), "is_allowed": is_allowed}
        response = make_response(render_template_string(template, **values), 200 if is_allowed else 400)
        response.content_language.add(language)
        response.vary.add("Accept-Language")
        return response

    @pages.get("/<any('verify.js', 'hosted.js', 'hosted.css', 'icon.svg'):name>")
    def file(name: str) -> Response:
        response = Response(contents[name], content_type=_TYPES[name])
        response.add_etag()
        response.headers["Cache-Control"] = _CACHED
        response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
        response.make_conditional(request)
        return response

    return pages


def _may_return(address: str, origins: Origins) -> bool:
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return origins.may_return_to(f"{parts.scheme}://{parts.netloc}") and not parts.fragment
