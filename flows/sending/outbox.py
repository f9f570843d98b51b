"""Send batches, each exactly once: claim, call, record; look up what is in doubt before sending it again."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from flows import ledger
from flows.ledger import Answer, Batch, BatchState, CampaignSettings, Lease, Ledger, Way
from flows.provider import Provider
from flows.sending.look_up import find_sent
from flows.sending.messages import message_requests
from flows.sending.rate import TokenBucket
from flows.sending.uploads import upload
from interface.errors import (
    ConnectionFailed,
    DovecoteError,
    Forbidden,
    Invalid,
    NotFound,
    TooManyRequests,
    Unauthorized,
)
from interface.responses import SendResponse

NOTHING_TAKEN = (ConnectionFailed, TooManyRequests, Unauthorized, Forbidden, Invalid, NotFound)
"""Errors after which the provider certainly took nothing of the call."""

KEY_IS_REMEMBERED_SECONDS = 23 * 3600
"""How long a repeat under the same idempotency key is safe: a server of ours keeps keys for 24 h."""

FILE_APPEARS_TIMES = 10
"""How many times as long as a call's messages those of a file may take to be listed: its lines are read first."""
UPLOADS_IN_FLIGHT = 2
"""Each holds its file in memory."""


@dataclass(frozen=True)
class Outbox:
    """What is needed to send one campaign's batches."""

    lease: Lease
    settings: CampaignSettings
    provider: Provider
    calls_in_flight: int = 8
    bucket: TokenBucket | None = None
    sleep: Callable[[float], Awaitable[None]] = field(default=asyncio.sleep)
    uploading: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(UPLOADS_IN_FLIGHT))

    @property
    def ledger(self) -> Ledger:
        """The ledger that decides."""
        return self.lease.ledger


async def send_batches(outbox: Outbox, batch_ids: Sequence[str]) -> None:
    """Send these batches, several at a time.

    After the first error no other batch is begun; those in flight are let finish, so that their outcome is known, and
    then the error is raised.
    """
    waiting = iter(batch_ids)
    errors: list[Exception] = []

    async def send_one_after_another() -> None:
        for batch_id in waiting:
            try:
                await send_batch(outbox, batch_id)
            except Exception as error:  # noqa: BLE001  (raised below, when the others have finished)
                errors.append(error)
            if errors:
                return

    await asyncio.gather(*(send_one_after_another() for _ in range(outbox.calls_in_flight)))
    if errors:
        raise errors[0]


async def send_batch(outbox: Outbox, batch_id: str) -> None:
    """Bring a batch to an answer, whatever state it was left in."""
    to_do: str | None = batch_id
    while to_do is not None:
        await _wait_for_turn(outbox, to_do)
        claimed = await asyncio.to_thread(ledger.claim, outbox.lease, to_do)
        if claimed is not None:
            to_do = await _send_claimed(outbox, claimed)
            continue
        batch = await asyncio.to_thread(ledger.load, outbox.ledger, to_do)
        if batch.state is BatchState.ANSWERED:
            return
        if _may_be_repeated(outbox, batch):
            to_do = await _repeat(outbox, batch)
        else:
            to_do = await _look_up_and_settle(outbox, batch)


async def settle_doubts(outbox: Outbox) -> None:
    """Look up what is in doubt, and send nothing: for a campaign that may not be sent any more."""
    for batch_id in await asyncio.to_thread(
        ledger.outstanding, outbox.ledger, outbox.lease.campaign_id, outbox.lease.wave
    ):
        batch = await asyncio.to_thread(ledger.load, outbox.ledger, batch_id)
        if batch.state is not BatchState.PLANNED:
            await _look_up_and_settle(outbox, batch)


async def _wait_for_turn(outbox: Outbox, batch_id: str) -> None:
    # Before the claim: after a long wait the window may be closed, and a claimed batch would be in doubt.
    if outbox.bucket is not None:
        await outbox.bucket.take(await asyncio.to_thread(ledger.recipients_of, outbox.ledger, batch_id))


async def _send_claimed(outbox: Outbox, claimed: Batch) -> str | None:
    try:
        return await _call(outbox, claimed)
    except NOTHING_TAKEN:
        await asyncio.to_thread(ledger.release, outbox.ledger, claimed)
        raise
    except DovecoteError as error:
        await asyncio.to_thread(ledger.mark_in_doubt, outbox.ledger, claimed, type(error).__name__)
        raise


async def _repeat(outbox: Outbox, batch: Batch) -> str | None:
    claimed = await asyncio.to_thread(ledger.claim_again, outbox.lease, batch.id)
    if claimed is None:
        return None
    try:
        return await _call(outbox, claimed)
    except DovecoteError as error:
        # Whatever this call met, the first one may have been taken.
        await asyncio.to_thread(ledger.mark_in_doubt, outbox.ledger, claimed, type(error).__name__)
        raise


async def _call(outbox: Outbox, batch: Batch) -> str | None:
    if batch.way is Way.BULK:
        await _upload(outbox, batch)
        return None
    messages = list(message_requests(batch, outbox.settings))
    response = await outbox.provider.client.send_many(messages, idempotency_key=batch.id)
    state = await asyncio.to_thread(ledger.record_answer, outbox.ledger, batch, _answer(response))
    return None if state is BatchState.ANSWERED else batch.id


async def _upload(outbox: Outbox, batch: Batch) -> None:
    async with outbox.uploading:
        await upload(outbox.provider, batch, outbox.settings, outbox.sleep)
    await asyncio.to_thread(ledger.record_upload, outbox.ledger, batch)


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
    return seconds * FILE_APPEARS_TIMES if batch.way is Way.BULK else seconds


def _all_objects_found(batch: Batch, found: dict[str, str]) -> bool:
    if batch.way is Way.BULK:  # a file is taken as a whole
        return bool(found)
    return all(any(one.phone_number in found for one in message.recipients) for message in batch.messages)


def _answer(response: SendResponse) -> Answer:
    return Answer(
        request_id=response.request_id,
        accepted={int(item.key): item.message_id for item in response.accepted},
        rejected={int(item.key): item.message for item in response.rejected},
    )
