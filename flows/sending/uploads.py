"""A batch as an uploaded file, exactly once: its ``bulk_id`` is the batch's own (specification, section 4.2)."""

import asyncio
import gzip
from collections.abc import Awaitable, Callable

from flows.ledger import Batch, CampaignSettings
from flows.provider import Provider
from flows.sending.messages import message_requests
from interface.bulk import BulkState
from interface.errors import Conflict, NotFound

ADDRESS_IS_VALID_SECONDS = 60.0
"""How long the address of an upload may be used; a ``bulk_id`` whose address ended unused may be used again."""
TAKEN = frozenset(BulkState) - {BulkState.WAITING_FOR_FILE}


async def upload(
    provider: Provider, batch: Batch, settings: CampaignSettings, sleep: Callable[[float], Awaitable[None]]
) -> None:
    """Upload the batch's file, or find that an earlier call did; raises what the client raises.

    A ``bulk_id`` that is refused as used (409) proves that the file was taken: except while an address that was given
    for it may still be used, so that one is waited for.
    """
    content = await asyncio.to_thread(file_of, batch, settings)
    try:
        await provider.client.upload_bulk(batch.id, content)
    except Conflict:
        if await _state(provider, batch) in TAKEN:
            return
        await sleep(ADDRESS_IS_VALID_SECONDS + 1)
        await _upload_after_waiting(provider, batch, content)


async def _upload_after_waiting(provider: Provider, batch: Batch, content: bytes) -> None:
    try:
        await provider.client.upload_bulk(batch.id, content)
    except Conflict:
        if await _state(provider, batch) is BulkState.WAITING_FOR_FILE:
            raise


def file_of(batch: Batch, settings: CampaignSettings) -> bytes:
    """Write the batch as JSON Lines, gzipped; the same each time."""
    lines = "".join(
        f"{message.model_dump_json(by_alias=True, exclude_none=True)}\n"
        for message in message_requests(batch, settings)
    )
    return gzip.compress(lines.encode(), compresslevel=6, mtime=0)


async def _state(provider: Provider, batch: Batch) -> BulkState | None:
    """Ask how far the upload is; None where the provider doesn't tell, as the call is Dovecote's own."""
    try:
        known = await provider.client.bulk_status(batch.id)
    except NotFound:
        return None
    return None if known is None else known.state
