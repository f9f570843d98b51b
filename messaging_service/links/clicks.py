"""Records who followed short links, many in one transaction. The first click of a person counts for the message."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from messaging_service.clock import Clock, Milliseconds
from messaging_service.message import Message, Move
from messaging_service.record import record_reactions
from messaging_service.store import links, messages
from messaging_service.store.engine import Store
from messaging_service.store.group_commit import GroupCommit
from messaging_service.store.links import ShortLink

CLICKS_A_TRANSACTION = 256


@dataclass(frozen=True, slots=True)
class Click:
    """Somebody followed a link, or a machine looked where it leads."""

    code: str
    message_id: str
    at: Milliseconds
    is_preview: bool


class Clicks:
    """Finds links and records that they were followed."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._commits = GroupCommit[Click, None](store.writing, _write, CLICKS_A_TRANSACTION, lambda: None)

    async def run(self) -> None:
        """Write what ``record`` brings until cancelled."""
        await self._commits.run()

    async def find(self, code: str) -> ShortLink | None:
        """Return the link with this code."""
        return await asyncio.to_thread(self._find, code)

    def _find(self, code: str) -> ShortLink | None:
        with self._store.reading() as connection:
            return links.find(connection, code)

    def has_ended(self, link: ShortLink) -> bool:
        """Whether a link leads nowhere any more."""
        return link.expires_at <= self._clock.now()

    async def record(self, link: ShortLink, *, is_preview: bool) -> None:
        """Record that a link was followed just now; on disk once this returns."""
        await self._commits.write(Click(link.code, link.message_id, self._clock.now(), is_preview))


def _write(connection: Connection, clicks: Sequence[Click]) -> Sequence[None]:
    people = Counter(click.code for click in clicks if not click.is_preview)
    machines = Counter(click.code for click in clicks if click.is_preview)
    links.count(connection, {code: (people[code], machines[code]) for code in people | machines})
    _record_first_clicks(connection, clicks)
    return [None] * len(clicks)


def _record_first_clicks(connection: Connection, clicks: Sequence[Click]) -> None:
    first: dict[str, Milliseconds] = {}
    for click in clicks:
        if not click.is_preview:
            first[click.message_id] = min(click.at, first.get(click.message_id, click.at))
    if first:
        found = messages.with_ids(connection, first).values()
        unclicked = [message for message in found if message.ts_clicked is None]
        record_reactions(
            connection, [Move(message, _clicked(message, first[message.message_id])) for message in unclicked]
        )


def _clicked(message: Message, at: Milliseconds) -> Message:
    return message._replace(ts_clicked=max(at, message.ts_sent or 0))
