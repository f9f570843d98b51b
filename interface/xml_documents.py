"""Writes request documents and reads result documents: the client's side of the XML interface (4.5). Pure."""

import re
from collections.abc import Iterable
from typing import Annotated
from xml.sax.saxutils import escape, quoteattr

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError

from interface.flow_steps import Gateway
from interface.texts import BODY_LIMIT, Sender
from interface.xml import (
    GATEWAYS,
    MAX_NUMBERS,
    XmlAccepted,
    XmlAcceptedList,
    XmlHeader,
    XmlNumbers,
    XmlResponse,
    XmlResult,
    XmlVersion,
)
from interface.xml_tree import Node, NotReadable, read_tree

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ENTITIES = {"\r": "&#13;"}  # a bare one is read as a line feed
_ATTRIBUTE_ENTITIES = {"\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}


def _in_xml(text: str) -> str:
    if _NOT_IN_XML.search(text):
        raise PydanticCustomError("not_in_xml", "must have only characters that XML can carry")
    if not text.strip():
        raise PydanticCustomError("blank", "must not be blank")
    return text


def _gateway(gateway: Gateway) -> Gateway:
    if gateway not in GATEWAYS:
        raise PydanticCustomError("gateway", f"must be one of {', '.join(GATEWAYS)}")
    return gateway


XmlText = Annotated[str, AfterValidator(_in_xml)]


class XmlMessage(BaseModel):
    """One ``Request``: a text for up to 1000 numbers, which together may stand in one document."""

    model_config = ConfigDict(frozen=True)

    text: XmlText = Field(max_length=BODY_LIMIT)
    numbers: list[XmlText] = Field(min_length=1, max_length=MAX_NUMBERS)
    sender: Annotated[Sender, AfterValidator(_in_xml)] | None = None
    gateway: Annotated[Gateway, AfterValidator(_gateway)] | None = None


def write_request(messages: Iterable[XmlMessage]) -> str:
    """Return the ``RequestDocument`` of messages; the key isn't in it."""
    requests = "".join(map(_request, messages))
    return f"<RequestDocument><RequestList>{requests}</RequestList></RequestDocument>"


def read_result(text: str) -> tuple[XmlResult, str]:
    """Return a ``Result``, and the text of its ``Response``. Raises `NotReadable`."""
    root = read_tree(text)
    response = root.find("Response")
    identity = "" if response is None else response.attributes.get("ID", "")
    if root.name != "Result" or response is None or not (identity.isascii() and identity.isdigit()):
        raise NotReadable("The document is not a Result.")
    result = XmlResult(
        ResultHeader=XmlHeader(Interface=_version(root)),
        Response=XmlResponse(Type=response.attributes.get("Type", ""), ID=int(identity)),
        ResponseRequestList=_accepted(root.find("ResponseRequestList")),
    )
    return result, response.text.strip()


def _request(message: XmlMessage) -> str:
    given = {"Sender": message.sender, "Type": message.gateway}
    attributes = "".join(
        f" {name}={quoteattr(value, _ATTRIBUTE_ENTITIES)}" for name, value in given.items() if value is not None
    )
    text = f'<Message Type="Text">{escape(message.text, _ENTITIES)}</Message>'
    numbers = "".join(f"<Number>{escape(number, _ENTITIES)}</Number>" for number in message.numbers)
    return f"<Request{attributes}>{text}<NumbersList>{numbers}</NumbersList></Request>"


def _version(root: Node) -> XmlVersion:
    node = root.find("ResultHeader", "Interface")
    return XmlVersion() if node is None else XmlVersion(Version=node.attributes.get("Version", ""))


def _accepted(listed: Node | None) -> XmlAcceptedList | None:
    if listed is None:
        return None
    return XmlAcceptedList(ResponseRequest=[_accepted_request(node) for node in listed.all("ResponseRequest")])


def _accepted_request(node: Node) -> XmlAccepted:
    identity, numbers = node.find("RequestID"), node.find("ResponseNumbersList")
    return XmlAccepted(
        RequestID="" if identity is None else identity.text.strip(),
        ResponseNumbersList=XmlNumbers(
            Number=[] if numbers is None else [number.text.strip() for number in numbers.all("Number")]
        ),
    )
