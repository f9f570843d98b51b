"""What became of messages, and what was answered (specification 2.4 to 2.8)."""

from collections.abc import Iterable
from datetime import date as date_

from interface import calls
from interface.client.operations.operation import Operation, Sent, operation, whole
from interface.inbox import InboundMessage, InboxQuery
from interface.queries import MessageQuery, MessagesQuery, RequestQuery, RequestsQuery
from interface.responses import (
    DateStatistics,
    MessagesResponse,
    MessageStatus,
    RequestCounters,
)


def message_status(message_id: str) -> Operation[MessageStatus | None]:
    """Return the status of a message of this key (2.4), None when there is none."""
    return operation(calls.MESSAGE_STATUS, Sent(query=MessageQuery(id=message_id)), lambda answer: answer.message)


def messages_page(query: MessagesQuery) -> Operation[MessagesResponse]:
    """Return one page of the messages of a date (2.5); ``next_cursor`` leads to the next."""
    return operation(calls.MESSAGES_OF_DATE, Sent(query=query), whole)


def next_page(query: MessagesQuery, page: MessagesResponse) -> MessagesQuery | None:
    """Return the query of the page after ``page``, None after the last one or when the cursor doesn't move."""
    if page.next_cursor is None or page.next_cursor == query.cursor:
        return None
    return query.model_copy(update={"cursor": page.next_cursor})


def request_statistics(
    date: date_,
    request_id: str,
    *,
    subid: str = "default",
) -> Operation[RequestCounters | None]:
    """Return the statistics of one request accepted on the UTC date ``date`` (2.7), None when there is none."""
    query = RequestQuery(date=date, request_id=request_id, subid=subid)
    return operation(calls.REQUEST_STATISTICS, Sent(query=query), lambda answer: answer.request)


def statistics(
    dates: Iterable[date_],
    *,
    tag: str | None = None,
    subid: str = "default",
) -> Operation[list[DateStatistics]]:
    """Return the statistics of UTC dates, by tags (2.6); dates without data are left out."""
    query = RequestsQuery(dates=list(dates), tag=tag, subid=subid)
    return operation(calls.STATISTICS, Sent(query=query), lambda answer: answer.requests)


def inbox(date: date_, *, subid: str | None = None) -> Operation[list[InboundMessage]]:
    """Return what people wrote to the calling key or a sub-account on the UTC date ``date``, the oldest first (2.8)."""
    return operation(calls.INBOX, Sent(query=InboxQuery(date=date, subid=subid)), lambda answer: answer.inbox)
