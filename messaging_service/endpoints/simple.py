"""The simple endpoints (specification 2.3, 4.1)."""

from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import Response

from interface import calls
from interface.field_errors import FieldError
from interface.simple import SimpleMessage, SimpleQuery
from messaging_service.accept.acceptor import Acceptor
from messaging_service.accounts.keys import Key
from messaging_service.endpoints.auth import Authentication
from messaging_service.endpoints.bodies import check, idempotent_call, read_body
from messaging_service.endpoints.problems import raw_json_response
from messaging_service.endpoints.serving import Handlers
from messaging_service.refusals import InvalidRequest


class SimpleEndpoints:
    """One SMS, by query or by form."""

    def __init__(self, authentication: Authentication, acceptor: Acceptor) -> None:
        self._authentication = authentication
        self._acceptor = acceptor

    def handlers(self) -> Handlers:
        """Return the handler of each call."""
        return {calls.SEND_SIMPLE: self.send_form, calls.SEND_SIMPLE_BY_QUERY: self.send_query}

    async def send_query(self, request: Request) -> Response:
        """Send what the query says. Only here the key may come as a parameter, ``apikey``."""
        secret = request.headers.get(calls.KEY_HEADER) or request.query_params.get("apikey")
        key = await self._authentication.key(secret)
        query = check(_fields(request.scope["query_string"], "query"), SimpleQuery)
        return await self._send(request, key, query, request.url.query.encode())

    async def send_form(self, request: Request) -> Response:
        """Send what the form says."""
        key = await self._authentication.key_of(request)
        body = await read_body(request, calls.Content.FORM)
        return await self._send(request, key, check(_fields(body, "body"), SimpleMessage), body)

    async def _send(self, request: Request, key: Key, message: SimpleMessage, body: bytes) -> Response:
        call = idempotent_call(request, key, body)
        return raw_json_response(
            await self._acceptor.accept_simple(self._acceptor.caller(key), message.to_message(), call),
        )


def _fields(form: bytes, place: str) -> dict[str, str]:
    try:
        return dict(parse_qsl(form.decode(), keep_blank_values=True, errors="strict", max_num_fields=100))
    except ValueError:  # not UTF-8, or more fields than any form has
        raise InvalidRequest([FieldError("", f"The {place} must be in UTF-8, with at most 100 fields.")]) from None
