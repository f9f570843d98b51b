"""Queries about short links: write them, follow one, count who followed, forget them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from messaging_service.clock import Milliseconds
from messaging_service.store.prepared import Prepared
from messaging_service.store.tables import messages, short_links


class ShortLink(NamedTuple):
    """Where a code leads, until when, and whose message it was in."""

    code: str
    target: str
    expires_at: Milliseconds
    message_id: str


_ADD = Prepared(
    insert(short_links).values({name: bindparam(name) for name in ("code", "message_row", "target", "expires_at")}),
)
_COUNT = Prepared(
    update(short_links)
    .where(short_links.c.code == bindparam("link"))
    .values(
        clicks=short_links.c.clicks + bindparam("new_clicks"),
        previews=short_links.c.previews + bindparam("new_previews"),
    ),
)


def taken(connection: Connection, codes: Iterable[str]) -> set[str]:
    """Return those codes that a link has."""
    return set(connection.execute(select(short_links.c.code).where(short_links.c.code.in_(list(codes)))).scalars())


def add(connection: Connection, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write links, of the columns that have no default."""
    _ADD.run(connection, rows)


def find(connection: Connection, code: str) -> ShortLink | None:
    """Return the link with this code."""
    question = (
        select(short_links.c.code, short_links.c.target, short_links.c.expires_at, messages.c.message_id)
        .join(messages, messages.c.id == short_links.c.message_row)
        .where(short_links.c.code == code)
    )
    row = connection.execute(question).first()
    return None if row is None else ShortLink(*row)


def count(connection: Connection, counted: Mapping[str, tuple[int, int]]) -> None:
    """Add clicks and previews to links, by code, always in the same order."""
    _COUNT.run(
        connection,
        [
            {"link": code, "new_clicks": clicks, "new_previews": previews}
            for code, (clicks, previews) in sorted(counted.items())
        ],
    )


def forget(connection: Connection, ended_before: Milliseconds, limit: int) -> int:
    """Delete links that ended before a moment, the oldest first. Returns how many."""
    oldest = select(short_links.c.code).where(short_links.c.expires_at < ended_before)
    chosen = oldest.order_by(short_links.c.expires_at).limit(limit)
    return connection.execute(delete(short_links).where(short_links.c.code.in_(chosen))).rowcount
