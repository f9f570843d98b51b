"""The calls that send (specification 4.1, 4.2)."""

from typing import Final

from pydantic import BaseModel, TypeAdapter

from interface.calls.call import Base, Call, Content, ErrorAnswer, Repeatable
from interface.calls.errors import WRONG_CONTENT_TYPE
from interface.message import MESSAGES, MessageRequest
from interface.responses import AuthenticationProblem, SendResponse, SimpleResponse, ValidationProblem
from interface.simple import SimpleMessage, SimpleQuery

_SEND_ERRORS = (
    ErrorAnswer(400, "The key is refused, or the request is not valid.", (AuthenticationProblem, ValidationProblem)),
    ErrorAnswer(409, "The first request with this Idempotency-Key is still running."),
    ErrorAnswer(413, "The request is larger than 1 MiB."),
    ErrorAnswer(422, "The Idempotency-Key was used with another request."),
    ErrorAnswer(500, "Unexpected error; whether the message was accepted is not known."),
)
SEND: Final = Call(
    name="send",
    method="POST",
    path="/message",
    base=Base.MESSAGING,
    group="messaging",
    summary="Send one message to 1 to 10 recipients",
    description="200 means accepted for processing. `key` is the index in `to`; one `message_id` per recipient.",
    body=TypeAdapter(MessageRequest),
    answer=SendResponse,
    repeatable=Repeatable.WITH_KEY,
    errors=(*_SEND_ERRORS, WRONG_CONTENT_TYPE),
)

SEND_PRIORITY: Final = Call(
    name="send_priority",
    method="POST",
    path="/message/priority",
    base=Base.MESSAGING,
    group="messaging",
    summary="Send one message through the priority queue",
    description="As `/message`, ahead of everything else whatever the tag.",
    body=TypeAdapter(MessageRequest),
    answer=SendResponse,
    repeatable=Repeatable.WITH_KEY,
    errors=(*_SEND_ERRORS, WRONG_CONTENT_TYPE),
)

SEND_MANY: Final = Call(
    name="send_many",
    method="POST",
    path="/messages",
    base=Base.MESSAGING,
    group="messaging",
    summary="Send 1 to 10 messages, each to 1 to 10 recipients",
    description=(
        "`key` is the index of the message object; one `message_id` per object, the recipients' are "
        "`<message_id>-<index>`. Valid objects are accepted even when others are rejected."
    ),
    body=MESSAGES,
    answer=SendResponse,
    repeatable=Repeatable.WITH_KEY,
    errors=(*_SEND_ERRORS, WRONG_CONTENT_TYPE),
)

SEND_SIMPLE: Final = Call(
    name="send_simple",
    method="POST",
    path="/simple/message",
    base=Base.MESSAGING,
    group="messaging",
    summary="Send one SMS from a form",
    body=TypeAdapter(SimpleMessage),
    content=Content.FORM,
    answer=SimpleResponse,
    repeatable=Repeatable.WITH_KEY,
    errors=(*_SEND_ERRORS, WRONG_CONTENT_TYPE),
)

SEND_SIMPLE_BY_QUERY: Final = Call(
    name="send_simple_by_query",
    method="GET",
    path="/simple/message",
    base=Base.MESSAGING,
    group="messaging",
    summary="Send one SMS from query parameters",
    description="The only call that also takes the key as a parameter, `apikey`.",
    query=SimpleQuery,
    answer=SimpleResponse,
    repeatable=Repeatable.WITH_KEY,
    errors=_SEND_ERRORS,
)

CALLS: Final[tuple[Call[BaseModel], ...]] = (SEND, SEND_PRIORITY, SEND_MANY, SEND_SIMPLE, SEND_SIMPLE_BY_QUERY)
