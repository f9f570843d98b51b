"""The calls of web and mobile front ends: ``/sessions``."""

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from flask import Blueprint, Response, jsonify, make_response, request

from verify_service import bodies
from verify_service.binding import Binding
from verify_service.checking import Checking
from verify_service.clients import Address, client_address
from verify_service.database import Clock
from verify_service.limits import Allowance, Limits
from verify_service.origins import IDEMPOTENCY_HEADER, Origins
from verify_service.problems import Problem
from verify_service.sending import Sending, Wanted
from verify_service.sessions import Session
from verify_service.settings import Settings
from verify_service.tokens import Kind, Tokens

CODE_LENGTH = 6
_IDEMPOTENCY_KEY = re.compile(r"[\x21-\x7e]{1,255}")


@dataclass(frozen=True, slots=True)
class Browsers:
    """What the calls of browsers work with."""

    settings: Settings
    sending: Sending
    checking: Checking
    tokens: Tokens
    binding: Binding
    origins: Origins
    limits: Limits
    now: Clock


def blueprint(parts: Browsers) -> Blueprint:
    """Return the routes."""
    calls = Blueprint("sessions", __name__, url_prefix="/sessions")
    starts = Allowance("starts", parts.settings.starts_per_client)
    checks = Allowance("checks", parts.settings.checks_per_client)

    @calls.post("")
    def start() -> Response:
        parts.origins.require_allowed(request)
        body = bodies.read(request, bodies.Start)
        number = bodies.read_number(body.phone_number, parts.settings.calling_code)
        wanted = Wanted(number, body.purpose, _idempotency_key())
        parts.limits.spend(starts, _client(parts))
        session = parts.sending.start(wanted)
        return _bound(parts, session, 201)

    @calls.post("/resend")
    def resend() -> Response:
        parts.origins.require_allowed(request)
        body = bodies.read(request, bodies.Resend)
        session_id = _own_session(parts, body.session)
        parts.limits.spend(starts, _client(parts))
        session = parts.sending.resend(session_id)
        return _bound(parts, session, 202)

    @calls.post("/check")
    def check() -> Response:
        parts.origins.require_allowed(request)
        body = bodies.read(request, bodies.Check)
        session_id = _own_session(parts, body.session)
        parts.limits.spend(checks, _client(parts))
        session = parts.checking.check(session_id, body.code)
        return jsonify({"verified": True, "result": parts.tokens.sign(Kind.RESULT, session.id)})

    return calls


def _own_session(parts: Browsers, token: str) -> str:
    """Return the session of a token that this client started; any other is as good as unknown. Raises Problem."""
    session_id = parts.tokens.read(Kind.SESSION, token)
    if session_id is None or not parts.binding.holds(request, session_id):
        raise Problem("not-found")
    return session_id


def _bound(parts: Browsers, session: Session, status: int) -> Response:
    """Render a session, bound to the client as the client wishes."""
    answer = _render(parts, session)
    if parts.binding.is_by_header(request):
        return make_response(jsonify(answer | {"secret": parts.binding.secret(session.id)}), status)
    response = make_response(jsonify(answer), status)
    seconds = answer["expiresIn"] + parts.settings.clock_tolerance
    parts.binding.set_cookie(response, session.id, seconds)
    return response


def _render(parts: Browsers, session: Session) -> dict[str, Any]:
    now, settings = parts.now(), parts.settings
    return {
        "session": parts.tokens.sign(Kind.SESSION, session.id),
        "expiresAt": datetime.fromtimestamp(session.expires_at, UTC).isoformat("T", "seconds").replace("+00:00", "Z"),
        # A telephone's clock may be wrong: seconds count down on any.
        "expiresIn": max(0, math.floor(session.expires_at - now)),
        "resendAfter": max(0, math.ceil(session.sent_at + settings.resend_after - now)),
        "resendsLeft": max(0, settings.resends - session.resends),
        "codeLength": CODE_LENGTH,
        "maskedNumber": session.masked_number,
    }


def _idempotency_key() -> str:
    key = request.headers.get(IDEMPOTENCY_HEADER, "")
    if key and not _IDEMPOTENCY_KEY.fullmatch(key):
        raise Problem("invalid-request", field=IDEMPOTENCY_HEADER)
    return key


def _client(parts: Browsers) -> Address:
    forwarded = request.headers.getlist("X-Forwarded-For")
    return client_address(request.remote_addr or "", forwarded, parts.settings.trusted_proxies)
