"""Queries about what became of one request (specification 2.7)."""

from typing import Any

from sqlalchemy import Connection, RowMapping, Select, and_, func, select

from interface.results import Result
from messaging_service.store.tables import contents, messages

_HAS_LEFT = messages.c.ts_sent.is_not(None)
_ENDED_ON_THE_WAY = messages.c.state.in_([Result.UNDELIVERED, Result.FAILED])
_ENDED_BEFORE = messages.c.state.in_([Result.REJECTED, Result.FAILED, Result.UNDELIVERED])

# The same counts as `report.counters` keeps by date, over the rows of one request.
_COUNTED = select(
    contents.c.key_id,
    contents.c.date,
    func.count(messages.c.ts_sent).label("count_sent"),
    func.coalesce(func.sum(messages.c.parts).filter(_HAS_LEFT), 0).label("msg_sent"),
    func.count(messages.c.ts_delivered).label("count_delivered"),
    func.count().filter(and_(_HAS_LEFT, _ENDED_ON_THE_WAY)).label("count_nondelivered"),
    func.count().filter(and_(~_HAS_LEFT, _ENDED_BEFORE)).label("count_notsent"),
    func.count(messages.c.ts_replied).label("count_replied"),
    func.count(messages.c.ts_optout).label("count_optout"),
    func.coalesce(func.sum(messages.c.price_czk), 0).label("price_czk"),
    func.coalesce(func.sum(messages.c.price_eur), 0).label("price_eur"),
    func.min(messages.c.ts_sent).label("first_ts_sent"),
    func.max(messages.c.ts_sent).label("last_ts_sent"),
).join(contents, contents.c.id == messages.c.content_id)


def of_request(connection: Connection, key_id: int, date: str, request_id: str) -> RowMapping | None:
    """Return the counts of a request that this key made on a date, None for any other."""
    found = connection.execute(question(request_id)).mappings()
    return next((row for row in found if (row["key_id"], row["date"]) == (key_id, date)), None)


def question(request_id: str) -> Select[Any]:
    """Return the question behind the counts: one pass over the rows of the request.

    It doesn't ask for key and date, lest a database search by them and walk through all that the key sent that day.
    """
    return _COUNTED.where(contents.c.request_id == request_id).group_by(contents.c.key_id, contents.c.date)
