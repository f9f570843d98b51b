"""Asks connectors for the calls: within a time, a few at once, numbers as they go on the wire and each once."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from interface.connectors import ConnectorAction
from interface.phone_numbers import InvalidPhoneNumber, normalise
from messaging_service.accounts.keys import Key
from messaging_service.connectors.kit.connector import AppUser, Connector
from messaging_service.refusals import PlatformBusy, PlatformFailed, TooManyRecipients

_LONGEST_SECONDS: Final = 25.0
"""For an answer, or the beginning of a long one: less than callers commonly wait."""
_AT_ONCE: Final = 16
"""Calls of one process that platforms are answering."""
_AT_ONCE_OF_ACCOUNT: Final = 4
"""Of them, calls of one account: the others' aren't to wait for it."""
_LONGEST_WAIT_SECONDS: Final = 5.0
"""For one of these places."""

Body = dict[str, Any]
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Question:
    """One call: whom it asks, for whom."""

    name: str
    connector: Connector
    key: Key
    app_userid: str

    @property
    def user(self) -> AppUser:
        """The user that the platform is asked about."""
        return AppUser(self.key.account_id, self.app_userid, self.key.currency)


class Asking:
    """Asks connectors; ``limit`` is the most recipients of one answer."""

    def __init__(self, connectors: Mapping[str, Connector], limit: int) -> None:
        self._connectors = connectors
        self._limit = limit
        self._slots = asyncio.Semaphore(_AT_ONCE)
        self._asked: Counter[int] = Counter()

    def connector(self, name: str) -> Connector | None:
        """Return the connector of this name, None when this service has none."""
        return self._connectors.get(name)

    async def ask(self, question: Question, action: ConnectorAction) -> Body:
        """Return what a platform says, as fields of the answer. Raises CredentialsRefused, Refusal."""
        asks: dict[ConnectorAction, Callable[[Question], Awaitable[Body]]] = {
            ConnectorAction.SEGMENTS: _segments,
            ConnectorAction.SENDERS: _senders,
            ConnectorAction.ME: _me,
        }
        async with self._slot(question):
            return await _within(_LONGEST_SECONDS, asks[action](question), question.name)

    async def recipients(self, question: Question, segment_id: str) -> AsyncGenerator[list[str]]:
        """Return the valid numbers in a segment, each once, page by page. Raises CredentialsRefused, Refusal.

        The first page comes within seconds, later ones when they come.
        """
        seen: set[int] = set()
        longest: float | None = _LONGEST_SECONDS
        pages = question.connector.recipients(question.user, segment_id, self._limit)
        async with self._slot(question), aclosing(pages):
            while (page := await _within(longest, anext(pages, None), question.name)) is not None:
                valid = await asyncio.to_thread(_valid, page, question.key.calling_code, seen)
                if len(seen) > self._limit:
                    raise TooManyRecipients(self._limit)
                yield valid
                longest = None

    @asynccontextmanager
    async def _slot(self, question: Question) -> AsyncGenerator[None]:
        account = question.key.account_id
        if self._asked[account] >= _AT_ONCE_OF_ACCOUNT:
            raise PlatformBusy(question.name, _LONGEST_WAIT_SECONDS)
        self._asked[account] += 1
        try:
            async with self._place(question.name):
                yield
        finally:
            self._asked[account] -= 1

    @asynccontextmanager
    async def _place(self, name: str) -> AsyncGenerator[None]:
        try:
            await asyncio.wait_for(self._slots.acquire(), _LONGEST_WAIT_SECONDS)
        except TimeoutError:
            raise PlatformBusy(name, _LONGEST_WAIT_SECONDS) from None
        try:
            yield
        finally:
            self._slots.release()


async def _within(seconds: float | None, answer: Awaitable[Answer], name: str) -> Answer:
    try:
        async with asyncio.timeout(seconds):
            return await answer
    except TimeoutError:
        raise PlatformFailed(name) from None


async def _segments(question: Question) -> Body:
    found = await question.connector.segments(question.user)
    return {"segments": [each.model_dump() for each in found]}


async def _senders(question: Question) -> Body:
    found = await question.connector.senders(question.user)
    return {"senders": [each.model_dump() for each in found]}


async def _me(question: Question) -> Body:
    return (await question.connector.me(question.user)).model_dump()


def _valid(page: Iterable[str], calling_code: str, seen: set[int]) -> list[str]:
    """Return the numbers of a page that are valid and new, and remember them."""
    fresh = []
    for written in page:
        try:
            number = normalise(written, calling_code)
        except InvalidPhoneNumber:
            continue
        if int(number) not in seen:
            seen.add(int(number))
            fresh.append(number)
    return fresh
