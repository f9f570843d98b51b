"""People who verify their numbers: each asks for a code, reads it at the operator and gives it back, again."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import uvloop

from benchmarks.conversation import Conversation
from benchmarks.operator_codes import OperatorCodes
from benchmarks.recipients import number

BY_HEADER = {"Dovecote-Binding": "header"}
PATIENCE = 30


@dataclass(frozen=True)
class Pair:
    """A start and its check, in seconds: each call, and from the start's first byte to the code at the operator."""

    start: float
    to_operator: float
    check: float


@dataclass(frozen=True)
class Crowd:
    """So many people at once, for so long, each pausing between two verifications (all in seconds)."""

    people: int
    seconds: float
    pause: float = 0


@dataclass(frozen=True)
class Site:
    """The port of the verification service, and the operator's records."""

    port: int
    records: Path


@dataclass(frozen=True)
class Verified:
    """The pairs that were completed, and the seconds it took."""

    pairs: list[Pair]
    seconds: float

    @property
    def rate(self) -> float:
        """Pairs a second."""
        return len(self.pairs) / self.seconds


def verify(site: Site, crowd: Crowd, first: int) -> Verified:
    """Let a crowd verify numbers from index ``first`` on. Raises ``RuntimeError`` when any call fails."""
    return uvloop.run(_verify(site, crowd, first))


async def _verify(site: Site, crowd: Crowd, first: int) -> Verified:
    codes = OperatorCodes(site.records)
    watching = asyncio.create_task(codes.watch())
    conversations = [await Conversation.begin(site.port) for _ in range(crowd.people)]
    begun = time.perf_counter()
    numbers = _numbers(begun + crowd.seconds, first)
    pairs = await asyncio.gather(*(_person(each, codes, numbers, crowd.pause) for each in conversations))
    seconds = time.perf_counter() - begun
    watching.cancel()
    with suppress(asyncio.CancelledError):
        await watching
    for each in conversations:
        each.end()
    codes.close()
    return Verified([pair for of_person in pairs for pair in of_person], seconds)


def _numbers(deadline: float, first: int) -> Iterator[str]:
    for index in count(first):
        if time.perf_counter() >= deadline:
            return
        yield number(index)


async def _person(conversation: Conversation, codes: OperatorCodes, numbers: Iterator[str], pause: float) -> list[Pair]:
    pairs = []
    for phone_number in numbers:
        pairs.append(await _pair(conversation, codes, phone_number))
        await asyncio.sleep(pause)
    return pairs


async def _pair(conversation: Conversation, codes: OperatorCodes, phone_number: str) -> Pair:
    expected = codes.expect(phone_number)
    begun = time.time()
    started = await conversation.post("/sessions", {"phoneNumber": f"+{phone_number}"}, BY_HEADER)
    arrived = await asyncio.wait_for(expected, PATIENCE)
    body = {"session": started.content["session"], "code": arrived.code}
    secret = {"Dovecote-Session-Secret": started.content["secret"]}
    checked = await conversation.post("/sessions/check", body, secret)
    if checked.content["verified"] is not True:
        raise RuntimeError("a right code wasn't verified")
    return Pair(started.seconds, arrived.at - begun, checked.seconds)
