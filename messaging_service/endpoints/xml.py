"""The XML interface (specification 4.5)."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import OperationalError
from starlette.requests import Request
from starlette.responses import Response

from interface import calls
from interface.xml import XmlCode
from messaging_service.accept.acceptor import Acceptance, Acceptor
from messaging_service.accounts.keys import Key
from messaging_service.bulk.checking import Checker
from messaging_service.endpoints.auth import Authentication
from messaging_service.endpoints.bodies import idempotent_call, read_body
from messaging_service.endpoints.headers import header
from messaging_service.endpoints.serving import Handlers
from messaging_service.refusals import RefusedDocument
from messaging_service.xml_interface.answering import success
from messaging_service.xml_interface.planning import message_of, plan
from messaging_service.xml_interface.reading import XmlRequest, key_in, read_document, read_form, read_requests


class XmlEndpoint:
    """Messages as an XML document in a form."""

    def __init__(self, authentication: Authentication, acceptor: Acceptor, checker: Checker) -> None:
        self._authentication = authentication
        self._acceptor = acceptor
        self._checker = checker

    def handlers(self) -> Handlers:
        """Return the handler of the call."""
        return {calls.SEND_XML: self.send}

    async def send(self, request: Request) -> Response:
        """Send all of a document or nothing. The key is looked for in the header, the form, the document."""
        key = await self._key(header(request, calls.KEY_HEADER))
        body = await read_body(request, calls.Content.FORM)
        form = read_form(body)
        key = key or await self._key(form.key)
        document = read_document(form)
        key = key or await self._authenticated(key_in(document))
        requests = read_requests(document, key.calling_code)
        planned = plan(self._acceptor.caller(key), requests)
        acceptance = Acceptance(planned.plans, success(planned.accepted), idempotent_call(request, key, body))
        answer = await self._acceptor.accept_plans(acceptance, lambda: self._check_credit(key, requests))
        return Response(answer, media_type=calls.Content.XML)

    async def _key(self, secret: str | None) -> Key | None:
        return await self._authenticated(secret) if secret else None

    async def _authenticated(self, secret: str | None) -> Key:
        with _nothing_done_yet():
            return await self._authentication.key(secret)

    def _check_credit(self, key: Key, requests: list[XmlRequest]) -> None:
        with _nothing_done_yet():
            can_pay = self._checker.can_pay(key, map(message_of, requests))
        if not can_pay:
            raise RefusedDocument(XmlCode.INSUFFICIENT_CREDIT, "The credit doesn't suffice for this document.")


@contextmanager
def _nothing_done_yet() -> Iterator[None]:
    """Have the caller try again when the database is away before anything was written."""
    try:
        yield
    except OperationalError as error:
        raise RefusedDocument(XmlCode.TRY_AGAIN, "The service can't answer now; try again in a moment.") from error
