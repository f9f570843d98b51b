"""Batches in doubt: repeated where the provider tells a repeat from a new call, else looked up, before any new call."""

import asyncio

from flows import ledger
from flows.ledger import Batch, BatchState, Way
from flows.sending.calls import call_again
from flows.sending.fence import CALLED_WITHIN_SECONDS
from flows.sending.look_up import find_sent
from flows.sending.outbox import Outbox

KEY_IS_REMEMBERED_SECONDS = 23 * 3600
"""How long a repeat under the same idempotency key is safe: a server of ours keeps keys for 24 h."""
FILE_APPEARS_TIMES = 10
"""How many times as long as a call's messages those of a file may take to be listed: its lines are read first."""


async def clear_up(outbox: Outbox, batch_id: str) -> str | None:
    """Learn what became of a batch; return the one that is to be sent now, if one is: itself, or what it lacked."""
    to_do: str | None = batch_id
    while to_do is not None:
        async with outbox.in_flight:
            batch = await asyncio.to_thread(ledger.load, outbox.ledger, to_do)
            if batch.state is BatchState.ANSWERED:
                return None
            if batch.state is BatchState.PLANNED:
                return batch.id
            to_do = await (_repeat if _may_be_repeated(outbox, batch) else _look_up_and_settle)(outbox, batch)
    return None


async def settle_doubts(outbox: Outbox) -> None:
    """Look up what is in doubt, and send nothing: for a campaign that may not be sent any more."""
    for batch_id in await asyncio.to_thread(
        ledger.outstanding, outbox.ledger, outbox.lease.campaign_id, outbox.lease.wave
    ):
        batch = await asyncio.to_thread(ledger.load, outbox.ledger, batch_id)
        if batch.state is not BatchState.PLANNED:
            await _look_up_and_settle(outbox, batch)


async def _repeat(outbox: Outbox, batch: Batch) -> str | None:
    claimed = await asyncio.to_thread(ledger.claim_again, outbox.lease, batch.id)
    if claimed is None:
        return None
    called = await call_again(outbox, claimed)
    left_open = await asyncio.to_thread(ledger.record, outbox.ledger, [(claimed, called.outcome)])
    if called.error is not None:
        raise called.error
    return next(iter(left_open), None)


def _may_be_repeated(outbox: Outbox, batch: Batch) -> bool:
    first = batch.first_claimed_at or 0.0
    remembered = outbox.ledger.now() - first < KEY_IS_REMEMBERED_SECONDS
    return outbox.provider.honours_idempotency_key and remembered and batch.request_id is None


async def _look_up_and_settle(outbox: Outbox, batch: Batch) -> str | None:
    found = await find_sent(outbox.provider, batch, outbox.ledger.now())
    if not _all_objects_found(batch, found):
        still = (batch.claimed_at or 0.0) + _appears_within(outbox, batch) - outbox.ledger.now()
        if still > 0:
            await outbox.sleep(still)
            found |= await find_sent(outbox.provider, batch, outbox.ledger.now())
    settled = await asyncio.to_thread(ledger.settle, outbox.ledger, batch, found)
    return settled.to_send


def _appears_within(outbox: Outbox, batch: Batch) -> float:
    seconds = outbox.provider.appears_within_seconds
    return CALLED_WITHIN_SECONDS + (seconds * FILE_APPEARS_TIMES if batch.way is Way.BULK else seconds)


def _all_objects_found(batch: Batch, found: dict[str, str]) -> bool:
    if batch.way is Way.BULK:  # a file is taken as a whole
        return bool(found)
    return all(any(one.phone_number in found for one in message.recipients) for message in batch.messages)
