"""The calls of the company's own back ends, with a service key: ``/results/redeem`` and ``/proofs/validate``."""

import hmac
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Response, jsonify, request

from interface.signatures import Proven
from verify_service import bodies
from verify_service.origins import Origins
from verify_service.problems import Problem
from verify_service.proofs import Proofs
from verify_service.results import Results
from verify_service.settings import Settings
from verify_service.tokens import Kind, Tokens

KEY_HEADER = "X-API-Key"


@dataclass(frozen=True, slots=True)
class BackEnds:
    """What the calls of back ends work with."""

    settings: Settings
    tokens: Tokens
    results: Results
    proofs: Proofs
    origins: Origins


def blueprint(parts: BackEnds) -> Blueprint:
    """Return the routes; each asks for the key first."""
    calls = Blueprint("back_end", __name__)
    keys = [key.get_secret_value().encode() for key in parts.settings.service_keys]

    @calls.before_request
    def require_key() -> None:
        parts.origins.require_allowed(request)
        given = request.headers.get(KEY_HEADER, "").encode("utf-8", "surrogatepass")
        # Each key is compared, so that the time tells nothing.
        if not any([hmac.compare_digest(given, key) for key in keys]):  # noqa: C419
            raise Problem("unauthorized")

    @calls.post("/results/redeem")
    def redeem() -> Response:
        session_id = parts.tokens.read(Kind.RESULT, bodies.read(request, bodies.Redeem).result)
        if session_id is None:
            raise Problem("not-found")
        session = parts.results.redeem(session_id)
        return jsonify(
            {"phoneNumber": session.phone_number, "verifiedAt": session.verified_at, "purpose": session.purpose}
        )

    @calls.post("/proofs/validate")
    def validate() -> Response:
        body = bodies.read(request, bodies.ProofGiven)
        proven = Proven(body.phone_number, body.token, body.code, body.timestamp)
        reason = parts.proofs.refusal(proven, body.proof)
        verdict: dict[str, Any] = {"valid": reason is None}
        return jsonify(verdict if reason is None else verdict | {"reason": reason.value})

    return calls
