"""Tasks that compare the ledger with the provider."""

import asyncio
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from flows import ledger
from flows.advice import calling
from flows.ledger import Batch, LeaseTaken, Ledger, PlannedCampaign
from flows.ledger.reconciling import OpenBatch, open_batches
from flows.ledger.records import BatchState, Way
from flows.provider import Provider
from flows.sending.look_up import find_sent
from flows.sending.reconciling import Comparison, compare
from flows.tasks.kinds import call


@dataclass(frozen=True)
class Doubts:
    """What became of calls without an answer: found at the provider, planned again, still in doubt, another's work."""

    found: int = 0
    planned_again: int = 0
    in_doubt: int = 0
    at_work: int = 0

    def __add__(self, other: "Doubts") -> "Doubts":
        """Add up two campaigns."""
        return Doubts(
            self.found + other.found,
            self.planned_again + other.planned_again,
            self.in_doubt + other.in_doubt,
            self.at_work + other.at_work,
        )


@call("settle-doubts")
async def settle_doubts(book: Ledger, campaign: PlannedCampaign, provider: Provider) -> Doubts:
    """Look up the campaign's calls without an answer; sends nothing. Waves that another run sends are left to it."""
    doubts = Doubts()
    waiting = await asyncio.to_thread(open_batches, book, campaign.id)
    for wave, group in groupby(sorted(waiting, key=lambda one: one.wave), key=lambda one: one.wave):
        doubts += await _settle_wave(book, campaign.id, wave, list(group), provider)
    return doubts


@call("compare-deliveries")
async def compare_deliveries(
    so_far: Comparison, campaign: str, batch_ids: Sequence[str], stuck_before: float
) -> Comparison:
    """Compare some batches with the provider's pages, and record the results that the ledger had missed."""
    return await compare(so_far, campaign, batch_ids, stuck_before)


async def _settle_wave(
    book: Ledger, campaign_id: str, wave: int, waiting: Sequence[OpenBatch], provider: Provider
) -> Doubts:
    try:
        lease = await asyncio.to_thread(ledger.take_lease, book, campaign_id, uuid.uuid4().hex, wave=wave)
    except LeaseTaken:
        return Doubts(at_work=len(waiting))
    try:
        doubts = Doubts()
        for one in waiting:
            await asyncio.to_thread(lease.renew)
            doubts += await _settle(book, one, provider)
        return doubts
    finally:
        await asyncio.to_thread(lease.give_back)


async def _settle(book: Ledger, one: OpenBatch, provider: Provider) -> Doubts:
    if one.way is Way.BULK:  # its lines may still be being read: what isn't there yet is not missing
        return Doubts(in_doubt=1)
    batch = await asyncio.to_thread(ledger.load, book, one.id)
    with calling("GET /messages"):
        found = await find_sent(provider, batch, book.now())
    if not _all_found(batch, found) and _may_still_appear(batch, provider, book.now()):
        return Doubts(in_doubt=1)
    await asyncio.to_thread(ledger.settle, book, batch, found)
    after = await asyncio.to_thread(ledger.load, book, one.id)
    return Doubts(planned_again=1) if after.state is BatchState.PLANNED else Doubts(found=1)


def _all_found(batch: Batch, found: dict[str, str]) -> bool:
    return all(any(one.phone_number in found for one in message.recipients) for message in batch.messages)


def _may_still_appear(batch: Batch, provider: Provider, now: float) -> bool:
    return (batch.claimed_at or 0.0) + provider.appears_within_seconds > now
