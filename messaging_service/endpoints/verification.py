"""The verification API (specification 4.4, 7.4, details "Verification API")."""

import asyncio
from typing import Any

from pydantic import TypeAdapter, ValidationError
from starlette.requests import Request
from starlette.responses import Response

from interface import calls
from interface.field_errors import field_errors
from interface.json_bodies import read_json
from interface.payload import Payload
from interface.signatures import Proven
from messaging_service.clock import iso_or_none
from messaging_service.endpoints.auth import Authentication
from messaging_service.endpoints.bodies import idempotent_call, read_body
from messaging_service.endpoints.problems import json_response, raw_json_response
from messaging_service.endpoints.serving import Handlers
from messaging_service.verification import refusals
from messaging_service.verification.checking import Attempt
from messaging_service.verification.codes import is_code, is_token
from messaging_service.verification.drafting import Start
from messaging_service.verification.numbers import read_number
from messaging_service.verification.opening import Verification

_PROVEN = ("phoneNumber", "token", "code", "timestamp", "proof")
_PAYLOAD = TypeAdapter(Payload)

Body = dict[str, Any]


class VerificationEndpoints:
    """Starts verifications, judges codes and proofs."""

    def __init__(self, authentication: Authentication, verification: Verification) -> None:
        self._authentication = authentication
        self._verifier = verification.verifier
        self._proofs = verification.proofs

    def handlers(self) -> Handlers:
        """Return the handler of each call."""
        return {
            calls.START_VALIDATION: self.start,
            calls.VERIFY_CODE: self.verify,
            calls.CHECK_PROOF: self.check_proof,
            calls.VERIFY_PROOF: self.verify_proof,
        }

    async def start(self, request: Request) -> Response:
        """Send a code to a number."""
        key = await self._authentication.key_of(request)
        raw = await read_body(request, calls.Content.JSON)
        body = _read(raw)
        number = read_number(_required(body, "phoneNumber"), key.calling_code)
        if number is None:
            raise refusals.invalid_phone()
        call = idempotent_call(request, key, raw)
        return raw_json_response(await self._verifier.start(Start(key, number, _payload(body), call)))

    async def verify(self, request: Request) -> Response:
        """Judge the code that a person typed."""
        key = await self._authentication.key_of(request)
        code = _required(_read(await read_body(request, calls.Content.JSON)), "code")
        if not isinstance(code, str) or not is_code(code):
            raise refusals.invalid_code_format()
        return raw_json_response(await self._verifier.check(Attempt(key.account_id, _token(request), code)))

    async def check_proof(self, request: Request) -> Response:
        """Tell whether a validation is verified with a proof."""
        key = await self._authentication.key_of(request)
        proof = _text(_read(await read_body(request, calls.Content.JSON)), "proof")
        session, is_valid = await asyncio.to_thread(self._proofs.check_own, key.account_id, _token(request), proof)
        answer = {"phoneNumber": session.phone_number, "verifiedAt": iso_or_none(session.verified_at)}
        return json_response({"valid": is_valid, **answer})

    async def verify_proof(self, request: Request) -> Response:
        """Judge a proof with all that it covers. The only call without a key."""
        body = _read(await read_body(request, calls.Content.JSON))
        *proven, proof = (_text(body, name) for name in _PROVEN)
        verdict = await asyncio.to_thread(self._proofs.check_any, Proven(*proven), proof)
        return json_response({"valid": verdict.is_valid} | ({"expired": True} if verdict.is_expired else {}))


def _read(raw: bytes) -> Body:
    try:
        body = read_json(raw)
    except ValueError:
        raise refusals.invalid_request("The body must be JSON, without a name that comes twice.") from None
    if not isinstance(body, dict):
        raise refusals.invalid_request("The body must be an object.")
    return body


def _required(body: Body, name: str) -> object:
    value = body.get(name)
    if value is None:
        raise refusals.missing_field(name)
    return value


def _text(body: Body, name: str) -> str:
    value = _required(body, name)
    if not isinstance(value, str):
        raise refusals.invalid_request(f"{name} must be a string.")
    return value


def _payload(body: Body) -> dict[str, Any] | None:
    if body.get("payload") is None:
        return None
    try:
        return _PAYLOAD.validate_python(body["payload"])
    except ValidationError as error:
        sentence = field_errors(error)[0].message.removeprefix("The body")
        raise refusals.invalid_request(f"payload{sentence}") from None


def _token(request: Request) -> str:
    token = request.path_params["token"]
    if not is_token(token):
        raise refusals.not_found()
    return str(token)
