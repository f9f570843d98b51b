"""What the provider tells before anything is sent: its prices, our credit, who is on its lists."""

import asyncio
import csv
import io
from collections.abc import Awaitable, Collection, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from flows.problems import RecipientsProblem
from flows.provider import Provider
from flows.recipients.downloads import download
from flows.sending.look_up import digits
from interface.credit import CountryPrice, Credit
from interface.errors import NotFound, Refused, UnexpectedAnswer
from interface.texts import DEFAULT_TAG

Told = TypeVar("Told")
CHANNEL = "sms"


@dataclass(frozen=True)
class Facts:
    """What is known; None where the provider doesn't tell, and then ``notes`` has a sentence about it.

    ``prices`` are those of a part by calling code, ``suppressed`` the numbers that get nothing of these tags.
    """

    prices: Mapping[str, CountryPrice] | None = None
    credit: Credit | None = None
    suppressed: frozenset[str] | None = None
    notes: tuple[str, ...] = field(default=())


async def gather_facts(provider: Provider, tags: Collection[str]) -> Facts:
    """Ask the provider. What it doesn't offer is told in the notes; raises what the client does when it is away."""
    notes: list[str] = []
    prices = await _told(provider.client.credit_prices(), "The provider tells no prices", notes)
    credit = await _told(provider.client.credit(), "The provider doesn't tell the credit", notes)
    channel = (prices or {}).get(CHANNEL)
    if prices is not None and channel is None:
        notes.append(f"The provider's price list has no prices for {CHANNEL}.")
    return Facts(channel, credit, await _suppressed(provider, tags, notes), tuple(notes))


async def _suppressed(provider: Provider, tags: Collection[str], notes: list[str]) -> frozenset[str] | None:
    client, subid = provider.client, provider.subid
    lists = [await _list("blacklist", client.blacklist_address(subid=subid), notes)]
    if DEFAULT_TAG in tags:
        lists.append(await _list("opt-out list", client.opt_out_address(subid=subid), notes))
    told = [numbers for numbers in lists if numbers is not None]
    return frozenset().union(*told) if told else None


async def _list(name: str, address: Awaitable[str], notes: list[str]) -> set[str] | None:
    try:
        content = await asyncio.to_thread(download, await address)
    except (Refused, UnexpectedAnswer, RecipientsProblem) as reason:
        if isinstance(reason, NotFound) and "empty" in reason.message.lower():
            return set()  # a call that isn't offered is answered with 404, too
        notes.append(f"The provider doesn't tell its {name} ({_short(reason)}).")
        return None
    rows = csv.DictReader(io.StringIO(content.decode("utf-8-sig", "replace")))
    return {digits(row.get("phone_number") or "") for row in rows}


async def _told(answer: Awaitable[Told], otherwise: str, notes: list[str]) -> Told | None:
    try:
        return await answer
    except (Refused, UnexpectedAnswer) as reason:
        notes.append(f"{otherwise} ({_short(reason)}).")
        return None


def _short(reason: Exception) -> str:
    return str(reason).rstrip(".")
