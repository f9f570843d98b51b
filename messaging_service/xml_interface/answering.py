"""Writes result documents."""

from collections.abc import Iterable
from dataclasses import dataclass
from xml.sax.saxutils import escape

from interface.xml import INTERFACE_VERSION, STATUSES, XmlCode
from messaging_service.refusals import (
    InvalidRequest,
    Refusal,
    RefusedDocument,
    StillRunning,
    TooLarge,
    Unauthorized,
    UsedForAnotherCall,
    WrongContentType,
)

_CODES: dict[type[Refusal], XmlCode] = {
    Unauthorized: XmlCode.BAD_KEY,
    WrongContentType: XmlCode.NO_DOCUMENT,
    TooLarge: XmlCode.MALFORMED,
    InvalidRequest: XmlCode.MALFORMED,
    UsedForAnotherCall: XmlCode.MALFORMED,
    StillRunning: XmlCode.TRY_AGAIN,
}
"""The codes of refusals that all interfaces have."""


@dataclass(frozen=True, slots=True)
class AcceptedRequest:
    """A ``Request`` that was taken: its id, and its valid numbers without ``+``."""

    request_id: str
    numbers: tuple[str, ...]


def success(requests: Iterable[AcceptedRequest]) -> bytes:
    """Return the document of an accepted call."""
    listed = "".join(map(_response_request, requests))
    return _result(f'<Response Type="OK" ID="0"/><ResponseRequestList>{listed}</ResponseRequestList>')


def error(code: XmlCode, sentence: str) -> bytes:
    """Return the document of a refused call."""
    return _result(f'<Response Type="ERROR" ID="{code}">{escape(sentence)}</Response>')


def error_of(refusal: Refusal) -> tuple[bytes, int]:
    """Return the document and the HTTP status that a refusal has in this interface."""
    code = code_of(refusal)
    return error(code, str(refusal)), STATUSES[code]


def code_of(refusal: Refusal) -> XmlCode:
    """Return the ``ID`` of a refusal."""
    if isinstance(refusal, RefusedDocument):
        return refusal.code
    known = (code for kind, code in _CODES.items() if isinstance(refusal, kind))
    return next(known, XmlCode.MALFORMED)


def _response_request(request: AcceptedRequest) -> str:
    numbers = "".join(f"<Number>{number}</Number>" for number in request.numbers)
    identity = f"<RequestID>{request.request_id}</RequestID>"
    return f"<ResponseRequest>{identity}<ResponseNumbersList>{numbers}</ResponseNumbersList></ResponseRequest>"


def _result(content: str) -> bytes:
    header = f'<ResultHeader><Interface Version="{INTERFACE_VERSION}"/></ResultHeader>'
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<Result>{header}{content}</Result>\n'.encode()
