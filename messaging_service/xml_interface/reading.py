"""Reads request documents. A document is accepted as a whole or refused with the first thing that is wrong."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl

from pydantic import TypeAdapter, ValidationError

from interface.flow_steps import Gateway
from interface.phone_numbers import InvalidPhoneNumber, normalise
from interface.texts import BODY_LIMIT, Sender
from interface.xml import GATEWAYS, MAX_NUMBERS, XmlCode
from interface.xml_tree import Node, NotReadable, read_tree
from messaging_service.refusals import RefusedDocument

_MAX_FIELDS = 100
_MAX_NUMBER = 64
_SENDER: Final = TypeAdapter[str](Sender)


@dataclass(frozen=True, slots=True)
class Form:
    """What the form says."""

    document: str | None
    key: str | None


@dataclass(frozen=True, slots=True)
class Recipient:
    """A number as its caller wrote it, and in international form without ``+``."""

    written: str
    number: str


@dataclass(frozen=True, slots=True)
class XmlRequest:
    """A ``Request``: its text and its valid numbers."""

    text: str
    recipients: Sequence[Recipient]
    sender: str | None
    gateway: Gateway


def read_form(body: bytes) -> Form:
    """Read the form around a document. Raises RefusedDocument."""
    try:
        fields = dict(parse_qsl(body.decode(), errors="strict", max_num_fields=_MAX_FIELDS))
    except ValueError:
        sentence = f"The body must be a form in UTF-8 with at most {_MAX_FIELDS} fields."
        raise RefusedDocument(XmlCode.MALFORMED, sentence) from None
    return Form(fields.get("XMLDATA"), fields.get("apikey"))


def read_document(form: Form) -> Node:
    """Return the ``RequestDocument`` of a form. Raises RefusedDocument."""
    if form.document is None:
        raise RefusedDocument(XmlCode.NO_DOCUMENT, "The form field XMLDATA is missing or empty.")
    try:
        document = read_tree(form.document)
    except NotReadable as error:
        raise RefusedDocument(XmlCode.MALFORMED, str(error)) from None
    if document.name != "RequestDocument":
        raise RefusedDocument(XmlCode.MALFORMED, "The document must be a RequestDocument.")
    return document


def key_in(document: Node) -> str | None:
    """Return the key that a document carries, if any."""
    node = document.find("RequestHeader", "ApiKey")
    return None if node is None else node.text.strip() or None


def read_requests(document: Node, calling_code: str) -> list[XmlRequest]:
    """Return the requests of a document; ``calling_code`` is that of the account. Raises RefusedDocument."""
    requests = _only(document, "RequestList", "RequestDocument").all("Request")
    if not requests:
        raise RefusedDocument(XmlCode.MISSING_PART, "RequestList/Request is required.")
    numbers = [_only(each, "NumbersList", place).all("Number") for place, each in _placed(requests)]
    if sum(map(len, numbers)) > MAX_NUMBERS:
        raise RefusedDocument(XmlCode.MALFORMED, f"A document has at most {MAX_NUMBERS} Numbers.")
    return [
        XmlRequest(
            text=_text(place, request),
            gateway=_gateway(place, request),
            sender=_sender(place, request),
            recipients=_recipients(place, listed, calling_code),
        )
        for (place, request), listed in zip(_placed(requests), numbers, strict=True)
    ]


def _placed(requests: Sequence[Node]) -> list[tuple[str, Node]]:
    """Return requests with their names in sentences, which count from 1 as XPath does."""
    return [(f"Request[{index}]", request) for index, request in enumerate(requests, 1)]


def _only(parent: Node, name: str, place: str) -> Node:
    found = parent.all(name)
    if not found:
        raise RefusedDocument(XmlCode.MISSING_PART, f"{place}/{name} is required.")
    if len(found) > 1:
        raise RefusedDocument(XmlCode.MALFORMED, f"{place}/{name} may stand only once.")
    return found[0]


def _text(place: str, request: Node) -> str:
    message = _only(request, "Message", place)
    if message.children or message.attributes.get("Type", "Text") != "Text":
        raise RefusedDocument(XmlCode.MALFORMED, f"{place}/Message must have the Type Text and hold nothing but text.")
    text = message.text
    if not text.strip():
        raise RefusedDocument(XmlCode.BAD_TEXT, f"{place}/Message has no text.")
    if len(text) > BODY_LIMIT:
        raise RefusedDocument(XmlCode.BAD_TEXT, f"{place}/Message has more than {BODY_LIMIT} characters.")
    return text


def _gateway(place: str, request: Node) -> Gateway:
    given = request.attributes.get("Type", Gateway.HIGH)
    if given not in GATEWAYS:
        raise RefusedDocument(XmlCode.BAD_GATEWAY, f"{place}/@Type must be one of {', '.join(GATEWAYS)}.")
    return Gateway(given)


def _sender(place: str, request: Node) -> str | None:
    given = request.attributes.get("Sender")
    if given is None:
        return None
    try:
        return _SENDER.validate_python(given)
    except ValidationError:
        sentence = f"{place}/@Sender must be a name of at most 11 characters, or a number of digits without +."
        raise RefusedDocument(XmlCode.BAD_SENDER, sentence) from None


def _recipients(place: str, listed: Sequence[Node], calling_code: str) -> list[Recipient]:
    found = [recipient for node in listed if (recipient := _recipient(node, calling_code))]
    if not found:
        raise RefusedDocument(XmlCode.NO_VALID_NUMBER, f"{place}/NumbersList has no valid Number.")
    return found


def _recipient(node: Node, calling_code: str) -> Recipient | None:
    written = node.text.strip()
    if node.children or len(written) > _MAX_NUMBER:
        return None
    try:
        return Recipient(written, normalise(written, calling_code))
    except InvalidPhoneNumber:
        return None
