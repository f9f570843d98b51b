"""The calls that tell what became of messages, and what was answered (specification 2.4 to 2.8)."""

from typing import Final

from pydantic import BaseModel

from interface.calls.call import Base, Call
from interface.calls.errors import REST_ERRORS
from interface.inbox import InboxQuery, InboxResponse
from interface.queries import MessageQuery, MessagesQuery, RequestQuery, RequestsQuery
from interface.responses import MessageResponse, MessagesResponse, RequestStatistics, SingleRequestStatistics

MESSAGE_STATUS: Final = Call(
    name="message_status",
    method="GET",
    path="/message",
    base=Base.REST,
    group="status",
    summary="Status of one message",
    description="Only messages sent by the calling key; `message` is null for any other.",
    query=MessageQuery,
    answer=MessageResponse,
    errors=REST_ERRORS,
)

MESSAGES_OF_DATE: Final = Call(
    name="messages",
    method="GET",
    path="/messages",
    base=Base.REST,
    group="status",
    summary="Messages of a date, one row per recipient",
    description="Pages: pass `next_cursor` as `cursor` until it is null.",
    query=MessagesQuery,
    answer=MessagesResponse,
    errors=REST_ERRORS,
)

REQUEST_STATISTICS: Final = Call(
    name="request_statistics",
    method="GET",
    path="/request",
    base=Base.REST,
    group="status",
    summary="Statistics of one request",
    query=RequestQuery,
    answer=SingleRequestStatistics,
    errors=REST_ERRORS,
)

STATISTICS: Final = Call(
    name="statistics",
    method="GET",
    path="/requests",
    base=Base.REST,
    group="status",
    summary="Statistics of dates, by tags",
    description="Dates without data are left out.",
    query=RequestsQuery,
    answer=RequestStatistics,
    errors=REST_ERRORS,
)

INBOX: Final = Call(
    name="inbox",
    method="GET",
    path="/inbox",
    base=Base.REST,
    group="inbox",
    summary="What people wrote to the calling key, or a sub-account, on a date",
    description="By the date of receipt, whole. Answers to messages of the key, and what was written to its default "
    "sender.",
    query=InboxQuery,
    answer=InboxResponse,
    errors=REST_ERRORS,
)

CALLS: Final[tuple[Call[BaseModel], ...]] = (MESSAGE_STATUS, MESSAGES_OF_DATE, REQUEST_STATISTICS, STATISTICS, INBOX)
