"""The progress artifact of a campaign, kept up to date while it is being sent and followed."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from uuid import UUID

from prefect.artifacts import acreate_progress_artifact, aupdate_progress_artifact

from flows import ledger
from flows.ledger import Ledger, PlannedCampaign, Totals
from flows.planning.tags import slug
from flows.reports.campaign import DELIVERED, UNDELIVERED
from interface.results import Result

SECONDS_BETWEEN_UPDATES = 2.0
PAUSES_A_COUNT = 10
"""A pause is at least so many times as long as counting was: a million recipients take more than a second."""


def percent(totals: Totals) -> float:
    """Count half of each recipient's way when the provider has answered, the other half when the result is final."""
    if not totals.recipients:
        return 100.0
    answered = totals.recipients - totals.count("planned")
    final = answered - totals.count(Result.ACCEPTED, Result.SENDING, Result.SENT)
    return round(50 * (answered + final) / totals.recipients, 1)


def in_words(campaign: str, totals: Totals) -> str:
    """Say how far a campaign is: what has gone of what, and what became of it."""
    gone = totals.recipients - totals.count("planned")
    became = {
        "delivered": totals.count(*DELIVERED),
        "undelivered": totals.count(*UNDELIVERED),
        "rejected": totals.count("refused", Result.REJECTED),
        "cancelled": totals.count(Result.CANCELLED),
    }
    told = [
        f"{gone:,} of {totals.recipients:,} gone",
        *(f"{number:,} {name}" for name, number in became.items() if number),
    ]
    return f"{campaign}: {', '.join(told)}"


@asynccontextmanager
async def shown_progress(book: Ledger, campaign: PlannedCampaign) -> AsyncIterator[None]:
    """Keep the progress artifact ``campaign-<name>-progress`` up to date for the time of the block."""
    before = await asyncio.to_thread(ledger.totals, book, campaign.id)
    artifact = await acreate_progress_artifact(
        progress=percent(before),
        key=artifact_key(campaign.name, "progress"),
        description=in_words(campaign.name, before),
    )
    updating = asyncio.create_task(_keep_updating(artifact, book, campaign))
    try:
        yield
    finally:
        updating.cancel()
        with suppress(asyncio.CancelledError):
            await updating
        await _update(artifact, book, campaign)


def artifact_key(campaign: str, what: str) -> str:
    """Name an artifact of a campaign; each run of the campaign adds a version to it."""
    return f"campaign-{slug(campaign)}-{what}"


async def _keep_updating(artifact: UUID, book: Ledger, campaign: PlannedCampaign) -> None:
    pause = SECONDS_BETWEEN_UPDATES
    while True:
        await asyncio.sleep(pause)
        begun = time.monotonic()
        await _update(artifact, book, campaign)
        pause = max(SECONDS_BETWEEN_UPDATES, PAUSES_A_COUNT * (time.monotonic() - begun))


async def _update(artifact: UUID, book: Ledger, campaign: PlannedCampaign) -> None:
    totals = await asyncio.to_thread(ledger.totals, book, campaign.id)
    await aupdate_progress_artifact(artifact, percent(totals), in_words(campaign.name, totals))
