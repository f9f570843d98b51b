"""Documents for the tests of the XML interface, and what is read of the answers."""

import xml.etree.ElementTree as ET
from typing import NamedTuple
from xml.sax.saxutils import escape

NUMBER = "+420601123456"


class Result(NamedTuple):
    status: int
    type: str
    code: int
    requests: list[tuple[str, list[str]]]
    sentence: str


def request(text="Hello", numbers=(NUMBER,), attributes=""):
    listed = "".join(f"<Number>{number}</Number>" for number in numbers)
    message = f'<Message Type="Text">{escape(text)}</Message>'
    return f"<Request {attributes}>{message}<NumbersList>{listed}</NumbersList></Request>"


def document(*requests, header=""):
    listed = "".join(requests or [request()])
    return f"<RequestDocument>{header}<RequestList>{listed}</RequestList></RequestDocument>"


def post(client, text, **more):
    """Send a document and return its ``Result``."""
    return read(client.post("/xml", data={"XMLDATA": text}, **more))


def read(answer):
    assert answer.headers["content-type"] == "application/xml"
    root = ET.fromstring(answer.content)
    assert (root.tag, root.find("ResultHeader/Interface").attrib) == ("Result", {"Version": "1.0"})
    response = root.find("Response")
    requests = [
        (each.findtext("RequestID"), [number.text for number in each.findall("ResponseNumbersList/Number")])
        for each in root.findall("ResponseRequestList/ResponseRequest")
    ]
    return Result(
        answer.status_code, response.get("Type"), int(response.get("ID")), requests, (response.text or "").strip()
    )
