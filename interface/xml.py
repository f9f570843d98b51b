"""The XML interface: what it takes, what it answers, and its error codes (specification 4.5)."""

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

from interface.flow_steps import Gateway

INTERFACE_VERSION: Final = "1.0"
MAX_NUMBERS: Final = 1_000
"""Numbers of one document, over all its requests."""
GATEWAYS: Final = (Gateway.HIGH, Gateway.LOWCOST, Gateway.DIRECT)
"""What the attribute ``Type`` of a ``Request`` may say; ``high`` when it is absent."""


class XmlCode(IntEnum):
    """The ``ID`` of a ``Response``."""

    OK = 0
    NO_DOCUMENT = 101  # there is no form with XMLDATA
    MALFORMED = 102  # not well-formed, or not in this format
    BAD_KEY = 103  # missing, unknown or blocked
    BAD_GATEWAY = 104
    INSUFFICIENT_CREDIT = 105  # the wallet can't pay for the whole document now
    MISSING_PART = 109
    NO_VALID_NUMBER = 201  # a request has none
    BAD_TEXT = 202  # missing, or longer than a body
    BAD_SENDER = 203
    TRY_AGAIN = 503  # nothing was done
    SYSTEM_ERROR = 900  # whether anything was accepted is not known


STATUSES: Final[Mapping[XmlCode, int]] = {
    XmlCode.OK: 200,
    XmlCode.NO_DOCUMENT: 400,
    XmlCode.MALFORMED: 400,
    XmlCode.BAD_KEY: 401,
    XmlCode.BAD_GATEWAY: 400,
    XmlCode.INSUFFICIENT_CREDIT: 402,
    XmlCode.MISSING_PART: 400,
    XmlCode.NO_VALID_NUMBER: 400,
    XmlCode.BAD_TEXT: 400,
    XmlCode.BAD_SENDER: 400,
    XmlCode.TRY_AGAIN: 503,
    XmlCode.SYSTEM_ERROR: 500,
}
"""The HTTP status that goes with each ``ID``, always the same."""

_EXAMPLE = (
    '<RequestDocument><RequestList><Request Sender="Dovecote" Type="high">'
    '<Message Type="Text">Your parcel arrives today.</Message>'
    "<NumbersList><Number>+420777123456</Number></NumbersList>"
    "</Request></RequestList></RequestDocument>"
)


class XmlSubmission(BaseModel):
    """The form: the document, and the key when neither a header nor the document carries it."""

    model_config = ConfigDict(frozen=True)

    XMLDATA: str = Field(
        min_length=1,
        description=(
            "`RequestDocument` > `RequestHeader` > `ApiKey` (optional), and `RequestList` > `Request` (attributes "
            "`Sender` and `Type`: `high`, `lowcost`, `direct`) > `Message` (`Type` `Text`; its text is the message) "
            f"and `NumbersList` > `Number`. UTF-8; at most {MAX_NUMBERS} numbers; no document type declaration."
        ),
        examples=[_EXAMPLE],
    )
    apikey: str | None = Field(default=None, repr=False, description="The key.")


def _attribute(**more: Any) -> Any:  # noqa: ANN401 - as pydantic's Field
    return Field(json_schema_extra={"xml": {"attribute": True}}, **more)


class XmlVersion(BaseModel):
    """The element ``Interface``."""

    model_config = ConfigDict(frozen=True)

    Version: str = _attribute(default=INTERFACE_VERSION, examples=[INTERFACE_VERSION])


class XmlHeader(BaseModel):
    """The element ``ResultHeader``."""

    model_config = ConfigDict(frozen=True)

    Interface: XmlVersion = XmlVersion()


class XmlResponse(BaseModel):
    """The element ``Response``: ``OK`` and 0, or ``ERROR`` and a code; the text of an error says what is wrong."""

    model_config = ConfigDict(frozen=True)

    Type: str = _attribute(examples=["OK"])
    ID: int = _attribute(examples=[0])


class XmlNumbers(BaseModel):
    """The element ``ResponseNumbersList``: the valid numbers without ``+``; recipient i is ``<RequestID>-<i>``."""

    model_config = ConfigDict(frozen=True)

    Number: list[str] = Field(default=[], examples=[["420777123456"]])


class XmlAccepted(BaseModel):
    """The element ``ResponseRequest``: one for each ``Request``, in their order."""

    model_config = ConfigDict(frozen=True)

    RequestID: str = Field(examples=["7f0c2a4e-7c1e-4c57-9f0e-5b7d1d3c9a10"])
    ResponseNumbersList: XmlNumbers


class XmlAcceptedList(BaseModel):
    """The element ``ResponseRequestList``."""

    model_config = ConfigDict(frozen=True)

    ResponseRequest: list[XmlAccepted] = []


class XmlResult(BaseModel):
    """The answer, the element ``Result``; an error has no ``ResponseRequestList``."""

    model_config = ConfigDict(frozen=True, json_schema_extra={"xml": {"name": "Result"}})

    ResultHeader: XmlHeader = XmlHeader()
    Response: XmlResponse
    ResponseRequestList: XmlAcceptedList | None = None
