"""The call of the XML interface (specification 4.5)."""

from typing import Final

from pydantic import BaseModel, TypeAdapter

from interface.calls.call import Base, Call, Content, ErrorAnswer, Repeatable
from interface.xml import XmlResult, XmlSubmission

_XML_RESULT = (XmlResult,)
SEND_XML: Final = Call(
    name="send_xml",
    method="POST",
    path="",
    base=Base.XML,
    group="messaging",
    summary="Send messages as an XML document",
    description=(
        "All of the document is accepted or nothing. One `RequestID` per `Request`; its recipients' message ids are "
        "`<RequestID>-<index>`, in the order of `ResponseNumbersList`, which leaves out invalid numbers. The key may "
        "stand in the header, in the form or in the document."
    ),
    body=TypeAdapter(XmlSubmission),
    content=Content.FORM,
    answer=XmlResult,
    answers=Content.XML,
    repeatable=Repeatable.WITH_KEY,
    errors=(
        ErrorAnswer(
            400,
            "`ID` 101 no XMLDATA, 102 not well-formed or not in this format, 104 gateway, 109 a required part is "
            "missing, 201 no valid number, 202 text missing or too long, 203 sender.",
            _XML_RESULT,
        ),
        ErrorAnswer(401, "`ID` 103: the key is missing, unknown or blocked.", _XML_RESULT),
        ErrorAnswer(402, "`ID` 105: the credit doesn't suffice for the whole document.", _XML_RESULT),
        ErrorAnswer(500, "`ID` 900: whether anything was accepted is not known.", _XML_RESULT),
        ErrorAnswer(503, "`ID` 503: nothing was done; try again.", _XML_RESULT),
    ),
)

CALLS: Final[tuple[Call[BaseModel], ...]] = (SEND_XML,)
